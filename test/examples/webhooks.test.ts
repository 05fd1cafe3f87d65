/** The servers of the page "Servers for webhooks": each is sent deliveries, as the service would, and asked what it saved. */
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { hasPostgres, startPostgres } from '../../bench/services/postgres.ts'
import { expressApp } from '../../docs/examples/webhooks/express.ts'
import { fastifyApp } from '../../docs/examples/webhooks/fastify.ts'
import { honoApp } from '../../docs/examples/webhooks/hono.ts'
import { lambdaHandler, queueEvents } from '../../docs/examples/webhooks/lambda.ts'
import { nextRoute } from '../../docs/examples/webhooks/next.ts'
import { postgresEvents } from '../../docs/examples/webhooks/postgresEvents.ts'
import { type Receive, receiveWith, type Save } from '../../docs/examples/webhooks/receive.ts'
import { sqliteEvents } from '../../docs/examples/webhooks/sqliteEvents.ts'
import { trigger } from '../../src/sandbox/index.js'

const secret = 'example-webhook-secret'
const FOLDER = join(import.meta.dirname, '../../docs/examples/webhooks')
const home = mkdtempSync(join(tmpdir(), 'payments-rx-webhooks-'))
afterAll(() => rmSync(home, { recursive: true }))

type Send = (request: Request) => Promise<{ readonly status: number }>

/** Sends requests to a server of this machine. */
const over =
  (port: number): Send =>
  async ({ headers, body }) =>
    fetch(`http://127.0.0.1:${port}/webhooks`, {
      ...{ method: 'POST', headers, body },
      ...(body === null ? {} : { duplex: 'half' }),
    })

const portOf = (address: unknown): number => Number(Object(address).port)

const servers: Readonly<Record<string, (receive: Receive) => Promise<Send>>> = {
  Express: async (receive) => {
    const app = expressApp(receive)
    app.set('env', 'test') // it writes no stack to stderr
    const server = await new Promise<Server>((resolve) => {
      const started = app.listen(0, '127.0.0.1', () => resolve(started))
    })
    onTestFinished(() => void server.close())
    return over(portOf(server.address()))
  },
  Fastify: async (receive) => {
    const app = fastifyApp(receive)
    app.post('/echo', async ({ body }) => body)
    await app.listen({ port: 0, host: '127.0.0.1' })
    onTestFinished(() => app.close())
    const [address] = app.addresses()
    const echoed = await app.inject({ method: 'POST', url: '/echo', payload: { a: 1 } })
    expect(echoed.json()).toEqual({ a: 1 })
    return over(portOf(address))
  },
  Hono: async (receive) => async (request) =>
    honoApp(receive)
      .onError((_, c) => c.body(null, 500)) // it writes nothing to stderr
      .request('/webhooks', request),
  // both answer 500 for a handler that rejects
  'Next.js': async (receive) => async (request) =>
    nextRoute(receive)
      .POST(request)
      .catch(() => ({ status: 500 })),
  'AWS Lambda': async (receive) => async (request) => {
    const body = Buffer.from(await request.arrayBuffer())
    const isBase64Encoded = body.length % 2 === 0
    return lambdaHandler(receive)({
      headers: Object.fromEntries(request.headers),
      ...(body.length === 0 ? {} : { body: body.toString(isBase64Encoded ? 'base64' : 'utf8') }),
      isBase64Encoded,
    }).then(
      ({ statusCode }) => ({ status: statusCode }),
      () => ({ status: 500 }),
    )
  },
}

describe.each(Object.entries(servers))('a server of %s', (_, start) => {
  it('saves a genuine event before it answers, and no other', async () => {
    const ids: Array<string> = []
    const send = await start(receiveWith({ secret }, ({ id }) => ids.push(id)))
    const event = 'spend.bill.paid'
    const sent = async (options: object) => {
      const url = 'http://localhost/webhooks'
      const deliveries = await trigger({ event, url, secret, deliver: answering(send), ...options })
      return deliveries.map(({ status }) => status)
    }
    expect(await sent({ id: 'evt_1' })).toEqual([200])
    expect(await sent({ id: 'evt_2', fault: 'twice' })).toEqual([200, 200])
    expect(ids).toEqual(['evt_1', 'evt_2', 'evt_2'])
    expect(await sent({ fault: 'forged' })).toEqual([401])
    expect(await sent({ fault: 'stale' })).toEqual([401])
    const { status } = await send(new Request('http://localhost/webhooks', { method: 'POST' }))
    expect(status).toBe(401)
    expect(ids).toHaveLength(3)
  })

  it('answers 500 where the event could not be saved', async () => {
    const save: Save = async () => {
      throw new Error('the disk is full')
    }
    const send = await start(receiveWith({ secret }, save))
    const url = 'http://localhost/webhooks'
    const options = { event: 'account.active', url, secret, deliver: answering(send) } as const
    expect(await trigger(options)).toMatchObject([{ status: 500 }])
  })
})

const answering =
  (send: Send) =>
  async (request: Request): Promise<Response> =>
    new Response(null, { status: (await send(request)).status })

describe('saved events', () => {
  const raw = { id: 'evt_1', name: 'account.active', data: { note: 'it\u0000s' } }
  const event = { id: 'evt_1', name: 'account.active', data: raw.data, raw }
  const events = [event, event, { ...event, id: 'evt_2' }, { ...event, id: ' ' }]
  const expected = ['evt_1', 'evt_2', null]

  it('are in the file once each, and those without an id all', async () => {
    const path = join(home, 'events.sqlite')
    const save = sqliteEvents(path)
    for (const one of [...events, { ...event, id: '' }]) save(one)
    sqliteEvents(path)(event) // of the next process
    const rows = new DatabaseSync(path).prepare('SELECT id, raw FROM events').all()
    expect(rows.map(({ id }) => id)).toEqual([...expected, null])
    expect(JSON.parse(String(rows[0]?.raw))).toEqual(raw)
  })

  it.runIf(hasPostgres)('are in the table of Postgres once each', async () => {
    const { database, query, stop } = await startPostgres()
    onTestFinished(stop)
    const url = await database()
    const text = readFileSync(join(FOLDER, 'postgresEvents.ts'), 'utf8')
    await query(url, /CREATE TABLE [^`]*/.exec(text)?.[0] ?? '')
    const pool = new pg.Pool({ connectionString: url })
    const save = postgresEvents(pool)
    for (const one of events) await save(one)
    const rows = await query(url, 'SELECT id, raw FROM events')
    await Promise.all([once(pool, 'remove'), pool.end()]) // `end` does not wait for the connection
    expect(rows.map(({ id }) => id)).toEqual(expected)
    expect(rows[0]?.raw).toEqual(raw)
  })

  it('go to a queue as they came', async () => {
    const texts: Array<string> = []
    await queueEvents(async (text) => texts.push(text))(event)
    expect(texts.map((text) => JSON.parse(text))).toEqual([raw])
  })
})

it('are on the page as they are here', () => {
  const page = readFileSync(join(FOLDER, '../../webhooks.md'), 'utf8')
  for (const name of readdirSync(FOLDER)) {
    expect(page).toContain(readFileSync(join(FOLDER, name), 'utf8'))
  }
})
