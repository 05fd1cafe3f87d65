/** Bodies that are too long, too slow or no text, over real sockets. */
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { firstValueFrom, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../../src/fp.js'
import { kyTransport } from '../../../src/http/transport/kyTransport.js'
import { type HttpResponse, type TransportError, wasRecovered } from '../../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../../src/sandbox/index.js'
import { clientOf, closing, newCharge } from '../../support/judged.js'
import { CHARGE } from '../../support/lab.js'
import { speaking } from '../../support/speaking.js'
import { PATIENT } from '../../support/timeouts.js'

/** A server whose answers begin so, and go on as `talk` says. */
const server = async (status: number, header: string, talk: (socket: Socket) => void) => {
  let asked = 0
  let closed = 0
  const { port } = closing(
    await speaking((socket) => {
      socket.on('close', () => closed++)
      socket.on('data', () => {
        asked++
        socket.write(`HTTP/1.1 ${status} x\r\nContent-Type: application/json\r\n${header}\r\n`)
        talk(socket)
      })
    }),
  )
  return { url: `http://127.0.0.1:${port}`, asked: () => asked, closed: () => closed }
}

const credentials = { token: () => Promise.resolve({ token: 'own-token' }) }

const sized = (body: Uint8Array | string) => `Content-Length: ${Buffer.byteLength(body)}\r\n`

/** Writes for as long as somebody reads. */
const endless = (socket: Socket): void => {
  const part = Buffer.alloc(64 * 1024, 'x')
  const go = (): void => {
    if (!socket.destroyed) socket.write(part, go)
  }
  go()
}

const get = (url: string, maxBytes?: number) =>
  firstValueFrom(
    kyTransport(maxBytes === undefined ? {} : { maxBytes })({
      method: 'GET',
      url,
      headers: {},
      timeout: PATIENT,
    }),
  )

const TOO_LONG = {
  body: '',
  invalidBody: { expected: 'at most 1000 bytes (maxBytes)', actual: 'more' },
}

describe('a body that is too long', () => {
  it('is read no further, and closed', async () => {
    const { url, closed } = await server(200, '', endless)
    expect(await get(url, 1_000)).toMatchObject(E.right({ status: 200, ...TOO_LONG }))
    while (closed() === 0) await new Promise(setImmediate)
  })

  it('is measured after it was unpacked', async () => {
    const packed = gzipSync(Buffer.alloc(100_000, ' '))
    const { url } = await server(200, `Content-Encoding: gzip\r\n${sized(packed)}`, (socket) =>
      socket.write(packed),
    )
    expect(packed.length).toBeLessThan(1_000)
    expect(await get(url, 1_000)).toMatchObject(E.right(TOO_LONG))
  })

  it('is whole up to the last byte that it may have', async () => {
    const text = 'x'.repeat(1_000)
    const { url } = await server(200, sized(text), (socket) => socket.write(text))
    const answer = await get(url, 1_000)
    expect(answer).toMatchObject(E.right({ body: text }))
    expect(answer).not.toMatchObject(E.right({ invalidBody: expect.anything() }))
  })

  it('is cut where it is no success: its beginning says enough', async () => {
    const { url, closed } = await server(502, '', endless)
    const answer = await get(url)
    if (E.isLeft(answer)) throw new Error(answer.left._tag)
    expect(answer.right.status).toBe(502)
    expect(answer.right.body).toBe('x'.repeat(1024 * 1024))
    while (closed() === 0) await new Promise(setImmediate)
  })

  it('is cut there sooner where it may have less', async () => {
    const { url } = await server(502, '', endless)
    expect(await get(url, 1_000)).toMatchObject(E.right({ status: 502, body: 'x'.repeat(1_000) }))
  })

  it('is what the answer should not be; it is not asked for again', async () => {
    const { url, asked } = await server(200, '', endless)
    const client = clientOf(url, { maxBytes: 1_000, credentials })
    expect(await firstValueFrom(client.charges.retrieve({ id: 'chg_1' }))).toMatchObject(
      E.left({
        _tag: 'Undecodable',
        path: '',
        message: expect.stringMatching(/the response should be at most 1000 bytes.*but is more$/),
      }),
    )
    expect(asked()).toBe(1)
  })
})

describe('a body that is no UTF-8', () => {
  const whole = JSON.stringify({ ...CHARGE, reference: 'Zo\u00eb' })
  const latin1 = Buffer.from(whole, 'latin1')

  it('is not taken for another text: it is asked for again, and then told', async () => {
    const { url, asked } = await server(200, sized(latin1), (socket) => socket.write(latin1))
    const client = clientOf(url, { credentials })
    expect(await firstValueFrom(client.charges.retrieve({ id: 'chg_1' }))).toMatchObject(
      E.left({ _tag: 'Undecodable', path: '', expected: 'UTF-8', attempts: 3 }),
    )
    expect(asked()).toBe(3)
  })

  it('tells all the same that a call is done of which any success will do', async () => {
    const { url } = await server(200, sized(latin1), (socket) => socket.write(latin1))
    const client = clientOf(url, { credentials })
    expect(await firstValueFrom(client.batchTransfers.delete({ id: 'bat_1' }))).toEqual(
      E.right(expect.stringContaining('chg_1')),
    )
  })
})

describe('a body that does not come to its end, of what is no success', () => {
  const ends: Readonly<Record<string, (socket: Socket) => void>> = {
    breaks: (socket) => setImmediate(() => socket.destroy()),
    'is reset': (socket) => setImmediate(() => socket.resetAndDestroy()),
    stalls: () => {},
  }

  const cases = [400, 401, 403, 404, 429, 500].flatMap((status) =>
    Object.keys(ends).map((end) => ({ status, end })),
  )

  /** An answer that says so much of what it promised. */
  const begun = (status: number, end: string) =>
    server(status, 'Content-Length: 500\r\nRetry-After: 7\r\n', (socket) =>
      socket.write('{"code":"too', () => ends[end]?.(socket)),
    )

  const brief = { ...PATIENT, body: 5 }

  it.each(cases)('is told with its status, $status, when it $end', async ({ status, end }) => {
    const { url } = await begun(status, end)
    const answer = await firstValueFrom(
      kyTransport()({ method: 'POST', url, headers: {}, body: '{}', timeout: brief }),
    )
    if (E.isLeft(answer)) throw new Error(answer.left._tag)
    expect(answer.right.status).toBe(status)
    expect(answer.right.header('retry-after')).toBe('7')
    expect('{"code":"too').toContain(answer.right.body)
  })

  it.each(Object.keys(ends))('leaves a write ambiguous when it %s', async (end) => {
    const { url, asked } = await begun(403, end)
    const client = clientOf(url, { timeout: brief, credentials })
    expect(await firstValueFrom(client.batchTransfers.submit({ id: 'bat_1' }))).toMatchObject(
      E.left({ _tag: 'Ambiguous', attempts: 1, cause: expect.objectContaining({ status: 403 }) }),
    )
    expect(asked()).toBe(1)
  })

  it.each(Object.keys(ends))('ends a GET at once when it %s', async (end) => {
    const { url, asked } = await begun(404, end)
    const client = clientOf(url, { timeout: brief, credentials })
    const outcome = await firstValueFrom(client.charges.retrieve({ id: 'chg_1' }))
    expect(outcome).toMatchObject(
      E.left({
        _tag: 'Refused',
        attempts: 1,
        message: expect.stringMatching(
          /^GET \/api\/v1\/charges\/\{id\}: 404 .* \(the body is incomplete\)$/,
        ),
      }),
    )
    expect(asked()).toBe(1)
  })

  it('leaves it open whether a create is done, when a 400 stays so', async () => {
    const sandbox = createSandbox({
      charges: 10,
      faults: ({ route }) => (route === 'POST /api/v1/charges/create' ? 'cut-off' : undefined),
    })
    const { charges } = clientOf('https://sandbox', {
      credentials: sandboxCredentials,
      fetch: sandbox.fetch,
    })
    const made = await firstValueFrom(charges.create({ ...newCharge, request_id: 'once' }))
    expect(E.isRight(made) && wasRecovered(made.right)).toBe(true) // 201, then 400 twice
  })

  it('hides no duplicate of a create that is repeated: what is there is found', async () => {
    const sandbox = createSandbox({
      charges: 10,
      faults: ({ route, nth }) =>
        route === 'POST /api/v1/charges/create' && nth === 2 ? 'cut-off' : undefined,
    })
    const { charges } = clientOf('https://sandbox', {
      credentials: sandboxCredentials,
      fetch: sandbox.fetch,
    })
    const create = () => firstValueFrom(charges.createOnce({ ...newCharge, request_id: 'once' }))
    const made = await create()
    const again = await create()
    expect(again).toEqual(made)
    expect(E.isRight(again) && wasRecovered(again.right)).toBe(true)
    expect(sandbox.stats().endpoints['POST /api/v1/charges/create']?.requests).toBe(3)
  })

  it.each(Object.keys(ends))('is answered as its status wants when it %s', async (end) => {
    let logins = 0
    const options = {
      timeout: brief,
      credentials: { token: () => Promise.resolve({ token: `own-token-${++logins}` }) },
      retry: { throttled: 1 },
    }
    const busy = await begun(429, end)
    const throttled = clientOf(busy.url, options).charges.retrieve({ id: 'chg_1' })
    expect(await firstValueFrom(throttled)).toMatchObject(
      E.left({ _tag: 'Throttled', attempts: 2 }),
    )
    expect([busy.asked(), logins]).toEqual([2, 1])

    const locked = await begun(401, end)
    const unauthorized = clientOf(locked.url, options).charges.retrieve({ id: 'chg_1' })
    expect(await firstValueFrom(unauthorized)).toMatchObject(
      E.left({ _tag: 'Unauthorized', attempts: 2 }),
    )
    expect([locked.asked(), logins]).toEqual([2, 3])
  })

  it('is no answer, where it is a success', async () => {
    const { url } = await begun(200, 'breaks')
    expect(await get(url)).toMatchObject(E.left({ _tag: 'Unreachable', mayHaveArrived: true }))
  })
})

describe('a body that comes byte by byte', () => {
  it('is given up after the whole of its time', async () => {
    let socket: Socket | undefined
    const { url, closed } = await server(200, '', (opened) => {
      socket = opened
    })
    const timer = new VirtualTimeScheduler()
    const timeout = { connect: 90_000, headers: 90_000, body: 400, whole: 1_000 }
    let read = 0
    const transport = kyTransport({
      timer,
      fetch: async (input, init) => {
        const { body, status } = await fetch(input, init)
        const counted = new TransformStream<Uint8Array, Uint8Array>({
          transform: (part, out) => {
            read++
            out.enqueue(part)
          },
        })
        return new Response(body?.pipeThrough(counted) ?? null, { status })
      },
    })
    const out: Array<E.Either<TransportError, HttpResponse>> = []
    transport({ method: 'GET', url, headers: {}, timeout }).subscribe((answer) => out.push(answer))

    for (let at = 0; at < 1_000; at += 300) {
      const before = read
      while (socket === undefined) await new Promise(setImmediate)
      socket.write('x')
      while (read === before) await new Promise(setImmediate)
      await new Promise(setImmediate)
      expect(out).toEqual([])
      timer.maxFrames = at + 300
      timer.flush()
      timer.frame = at + 300
    }
    expect(out).toEqual([E.left({ _tag: 'TimedOut', phase: 'whole', limit: 1_000 })])
    while (closed() === 0) await new Promise(setImmediate)
  })
})
