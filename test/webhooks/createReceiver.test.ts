/** A receiver behind a server of `node:http`, on a real socket. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { getRequestListener } from '@hono/node-server'
import { retry, type Subscription, take, tap, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest'
import { E } from '../../src/fp.js'
import {
  createReceiver,
  createVerifier,
  type DeliveryFailure,
  type Receiver,
  type ReceiverOptions,
  type WebhookEvent,
} from '../../src/webhooks/index.js'
import { at, headers, NOW, SECRET, SETTLED, tagOf } from './support.js'

type Told = E.Either<DeliveryFailure, WebhookEvent>

const nameOf = (came: Told): string => (E.isLeft(came) ? came.left._tag : came.right.id)

/** On a port, at a time that stands still until `tell` lets events be told. */
const onPort = async (options: Partial<ReceiverOptions> = {}, listens = true) => {
  const timer = new VirtualTimeScheduler()
  timer.frame = NOW
  const receiver = createReceiver({ secret: SECRET, timer, ...options })
  const told: Array<Told> = []
  const subscriptions: Array<Subscription> = []
  const subscribe = () => subscriptions.push(receiver.events.subscribe((came) => told.push(came)))
  if (listens) subscribe()

  const server = createServer(getRequestListener(receiver.fetch, { overrideGlobalObjects: false }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  )
  const { port } = server.address() as AddressInfo
  const post = async (
    body: string | Uint8Array<ArrayBuffer>,
    sent: Record<string, string> = headers(body),
  ) => {
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers: sent, body })
    return { status: answer.status, text: await answer.text(), headers: answer.headers }
  }
  return {
    receiver,
    port,
    post,
    subscribe,
    unsubscribe: () => subscriptions.pop()?.unsubscribe(),
    told,
    /** Events emitted by now, by id or failure. */
    tell: () => {
      timer.flush()
      return told.splice(0).map(nameOf)
    },
  }
}

const event = (id: string): string => SETTLED.replace('evt_1', id)

describe('a receiver', () => {
  it('answers 200, with nothing else, and tells of the event after that', async () => {
    const { post, told, tell } = await onPort()
    const answer = await post(SETTLED)
    expect([answer.status, answer.text, told]).toEqual([200, '', []])
    expect(tell()).toEqual(['evt_1'])
  })

  it('reads the bytes as they come, in whatever parts', async () => {
    const { port, tell } = await onPort()
    const body = Buffer.from('{"id":"evt_2","name":"charge.failed","data":{"reference":"Zoë €"}}')
    const sending = request({ port, method: 'POST', headers: headers(body) }) // chunked
    const answered = once(sending, 'response')
    for (const byte of body) sending.write(Uint8Array.of(byte))
    sending.end()
    const [answer] = await answered
    expect(answer.statusCode).toBe(200)
    expect(tell()).toEqual(['evt_2'])
  })

  it('tells what it did not believe, and the sender only that it did not', async () => {
    const { post, tell } = await onPort()
    const stale = headers(SETTLED, { timestamp: String(NOW - 300_001) })
    const wrong: ReadonlyArray<readonly [number, string, string, Record<string, string>]> = [
      [401, 'Unsigned', SETTLED, {}],
      [401, 'Forged', SETTLED, headers(SETTLED, { secret: 'another' })],
      [401, 'Forged', `${SETTLED} `, headers(SETTLED)],
      [401, 'Stale', SETTLED, stale],
      [400, 'Undecodable', '{}', headers('{}')],
    ]
    for (const [status, tag, body, sent] of wrong) {
      const answer = await post(body, sent)
      expect([answer.status, answer.text, tell()]).toEqual([status, '', [tag]])
    }
    expect((await post(SETTLED)).status).toBe(200)
  })

  it('says that nothing is left of a body that was read before it, and blames no secret', async () => {
    const { receiver, tell } = await onPort()
    const sent = { ...headers(SETTLED), 'content-length': `${SETTLED.length}` }
    const answer = await receiver.fetch(
      new Request('http://here', { method: 'POST', headers: sent }),
    )
    expect([answer.status, tell()]).toEqual([500, ['NotRaw']])
  })

  it('refuses a header that comes twice', async () => {
    const { port, tell } = await onPort()
    for (const [name, tag] of [
      ['x-timestamp', 'Unsigned'],
      ['x-signature', 'Forged'],
    ] as const) {
      const good = headers(SETTLED)
      const twice = { ...good, [name]: [good[name], good[name]] }
      const sending = request({ port, method: 'POST', headers: twice })
      sending.end(SETTLED)
      const [answer] = await once(sending, 'response')
      expect([answer.statusCode, tell()]).toEqual([401, [tag]])
    }
  })

  it('reads no more than so many bytes, whether their number is said or not', async () => {
    const { port, post, tell } = await onPort({ maxBytes: SETTLED.length })
    expect([(await post(SETTLED)).status, tell()]).toEqual([200, ['evt_1']])
    const larger = `${SETTLED} `
    expect([(await post(larger)).status, tell()]).toEqual([413, ['TooLarge']])

    const announcing = { ...headers(larger), 'content-length': larger.length }
    const announced = request({ port, method: 'POST', headers: announcing })
    announced.on('error', () => {})
    announced.flushHeaders() // and not a byte of the body
    expect((await once(announced, 'response'))[0].statusCode).toBe(413)
    expect(tell()).toEqual(['TooLarge'])
    announced.destroy()

    const endless = request({ port, method: 'POST', headers: headers(larger) })
    endless.on('error', () => {}) // the server hangs up
    endless.write(larger)
    const [answer] = await once(endless, 'response')
    expect([answer.statusCode, tell()]).toEqual([413, ['TooLarge']])
    endless.destroy()
  })

  it('tells a single byte as one', async () => {
    const timer = new VirtualTimeScheduler()
    timer.frame = NOW
    const { fetch, events } = createReceiver({ secret: SECRET, timer, maxBytes: 1 })
    const told: Array<string> = []
    events.subscribe((came) => told.push(E.isLeft(came) ? came.left.message : came.right.id))
    const sent = { method: 'POST', headers: { ...headers('x'), 'content-length': '1' } }
    await fetch(new Request('http://here', { ...sent, body: SETTLED, headers: headers(SETTLED) }))
    await fetch(new Request('http://here', sent))
    timer.flush()
    expect(told).toEqual([
      'the body is larger than 1 byte',
      expect.stringMatching(/, but is already read: nothing is left of 1 byte$/),
    ])
  })

  it('reads a body where streams cannot be iterated, as in older Safari', async () => {
    const { prototype } = ReadableStream
    const iterate = Object.getOwnPropertyDescriptor(prototype, Symbol.asyncIterator)
    Reflect.deleteProperty(prototype, Symbol.asyncIterator)
    onTestFinished(() => {
      Object.defineProperty(prototype, Symbol.asyncIterator, { ...iterate })
    })
    const timer = new VirtualTimeScheduler()
    timer.frame = NOW
    const { fetch, events } = createReceiver({ secret: SECRET, timer, maxBytes: SETTLED.length })
    const told: Array<string> = []
    events.subscribe((came) => told.push(nameOf(came)))
    const answerTo = async (body: string | ReadableStream) => {
      const sent = headers(typeof body === 'string' ? body : SETTLED)
      const init = { method: 'POST', headers: sent, body, duplex: 'half' }
      const request = new Request('http://here', init)
      const { status } = await fetch(request)
      timer.flush()
      return [status, request.body?.locked, ...told.splice(0)]
    }
    expect(await answerTo(SETTLED)).toEqual([200, false, 'evt_1'])
    expect(await answerTo(`${SETTLED} `)).toEqual([413, false, 'TooLarge'])
    const broken = new ReadableStream({ pull: (out) => out.error(new Error('reset')) })
    expect(await answerTo(broken)).toEqual([408, false, 'Interrupted'])
  })

  it('tells of a body that broke off', async () => {
    const { port, subscribe, unsubscribe, post, tell } = await onPort()
    const sent = { ...headers(SETTLED), 'content-length': SETTLED.length }
    const sending = request({ port, method: 'POST', headers: sent })
    sending.on('error', () => {})
    sending.write(SETTLED.slice(0, 20), () => sending.destroy())
    const seen: Array<string> = []
    while (seen.length === 0) {
      await new Promise((resolve) => setImmediate(resolve))
      seen.push(...tell())
    }
    expect(seen).toEqual(['Interrupted'])
    unsubscribe()
    subscribe()
    expect([(await post(SETTLED)).status, tell()]).toEqual([200, ['evt_1']])
  })

  it('waits for a body up to its deadline, by the clock that it is given', async () => {
    const timer = new VirtualTimeScheduler()
    timer.frame = NOW
    const { fetch, events } = createReceiver({ secret: SECRET, timer, bodyTimeout: 2_000 })
    const told: Array<string> = []
    events.subscribe((came) => told.push(E.isLeft(came) ? came.left.message : came.right.id))
    const slow = new ReadableStream({ start: (out) => out.enqueue(Uint8Array.of(123)) })
    const sent = { method: 'POST', headers: headers(SETTLED), body: slow, duplex: 'half' }
    const answered = fetch(new Request('http://here', sent))
    timer.maxFrames = NOW + 1_999
    timer.flush()
    expect(told).toEqual([])
    timer.maxFrames = NOW + 2_000
    timer.flush()
    expect((await answered).status).toBe(408)
    timer.flush()
    expect(told).toEqual(['the body did not arrive within 2000 ms'])
  })

  it.each(['', '  '])('takes events with the id "%s" for no repetitions', async (id) => {
    const { post, subscribe, unsubscribe, tell } = await onPort()
    for (let n = 0; n < 3; n++) expect((await post(event(id))).status).toBe(200)
    expect(tell()).toEqual([id, id, id])
    unsubscribe()
    expect((await post(event(id))).status).toBe(503)
    subscribe()
  })

  it('has an event sent again when nobody listens', async () => {
    const { post, subscribe, unsubscribe, tell } = await onPort({}, false)
    expect((await post(SETTLED)).status).toBe(503)
    subscribe()
    expect([(await post(SETTLED)).status, tell()]).toEqual([200, ['evt_1']])
    unsubscribe()
    expect([(await post(event('evt_2'))).status, tell()]).toEqual([503, []])
    expect([(await post(SETTLED)).status, tell()]).toEqual([200, []]) // it was told before
    expect((await post(SETTLED, {})).status).toBe(401)
  })

  it('tells each event once, to each who listens', async () => {
    const { post, subscribe, tell } = await onPort()
    subscribe()
    const statuses = await Promise.all([post(SETTLED), post(SETTLED), post(SETTLED)])
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(tell()).toEqual(['evt_1', 'evt_1'])
    expect((await post(SETTLED)).status).toBe(200)
    expect(tell()).toEqual([])
  })

  it('tells the next event to who subscribes again because of the last one', async () => {
    const { receiver, post, tell } = await onPort({}, false)
    const worked: Array<string> = []
    let faults = 1
    const work = (came: Told) => {
      if (faults-- > 0) throw new Error('the database is away')
      worked.push(nameOf(came))
    }
    receiver.events.pipe(tap(work), retry()).subscribe()
    for (const id of ['a', 'b', 'c']) expect((await post(event(id))).status).toBe(200)
    tell()
    expect(worked).toEqual(['b', 'c'])
  })

  it('has only told what somebody heard: what comes again is told then', async () => {
    const { receiver, post, subscribe, unsubscribe, tell } = await onPort({}, false)
    const first: Array<string> = []
    receiver.events.pipe(take(1)).subscribe((came) => first.push(nameOf(came)))
    for (const id of ['a', 'b']) expect((await post(event(id))).status).toBe(200)
    expect([tell(), first]).toEqual([[], ['a']])

    subscribe()
    expect((await post(event('c'))).status).toBe(200)
    unsubscribe() // between the answer and the telling
    expect(tell()).toEqual([])

    subscribe()
    for (const id of ['a', 'b', 'c']) expect((await post(event(id))).status).toBe(200)
    expect(tell()).toEqual(['b', 'c'])
  })

  it('remembers so many events', async () => {
    const { post, tell } = await onPort({ remember: 2 })
    for (const id of ['a', 'b', 'a', 'c', 'b', 'a', 'c']) {
      expect((await post(event(id))).status).toBe(200)
    }
    expect(tell()).toEqual(['a', 'b', 'c', 'a'])
  })

  it('may remember none', async () => {
    const { post, tell } = await onPort({ remember: 0 })
    for (const id of ['a', 'a']) await post(event(id))
    expect(tell()).toEqual(['a', 'a'])
  })

  it('remembers nothing that was not believed', async () => {
    const { post, tell } = await onPort()
    await post(SETTLED, headers(SETTLED, { secret: 'another' }))
    await post(SETTLED)
    expect(tell()).toEqual(['Forged', 'evt_1'])
  })

  it.each([-1, 0.5, Number.NaN])('is not made with limits of %d', (number) => {
    for (const name of ['maxBytes', 'remember'] as const) {
      const make = () => createReceiver({ secret: SECRET, [name]: number })
      expect(make).toThrow(new RegExp(`^${name} should be`))
    }
  })

  it.each<readonly [string, unknown]>([
    ['maxByte', 1_000],
    ['tolerence', 1_000],
    ['maxBytes', '1 MiB'],
    ['timer', { now: () => 0 }],
  ])('is not made with a wrong %s', (option, value) => {
    const options: Readonly<Record<string, unknown>> = { [option]: value }
    expect(() => createReceiver({ secret: SECRET, ...options })).toThrow(
      expect.objectContaining({ name: 'InvalidOption', option }),
    )
  })
})

describe('a request that is no fresh one', () => {
  const post = (body: BodyInit | null) =>
    new Request('https://shop.test/', { method: 'POST', body, headers: headers(SETTLED) })

  const receive = (request: Request) => createReceiver({ secret: SECRET }).fetch(request)

  it('is a mistake on this side when its body was read', async () => {
    const read = post(SETTLED)
    await read.text()
    expect((await receive(read)).status).toBe(500)
  })

  it('is one, too, when its body is being read', async () => {
    const locked = post(SETTLED)
    locked.body?.getReader()
    expect((await receive(locked)).status).toBe(500)
  })

  it('has no body: it is as if it were empty', async () => {
    expect((await receive(post(null))).status).toBe(401)
  })
})

it('a server of node:http may verify without an adapter', async () => {
  const verify = createVerifier({ secret: SECRET, timer: at(NOW) })
  const seen: Array<string> = []
  const server = createServer(async (incoming, outgoing) => {
    const headers: IncomingHttpHeaders = incoming.headers
    const body = await buffer(incoming)
    verify({ headers, body }).subscribe((came) => {
      seen.push(tagOf(came))
      outgoing.writeHead(E.isRight(came) ? 200 : 401).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  for (const [sent, status] of [
    [headers(SETTLED), 200],
    [{}, 401],
  ] as const) {
    const init = { method: 'POST', headers: { ...sent, connection: 'close' }, body: SETTLED }
    expect((await fetch(`http://127.0.0.1:${port}/`, init)).status).toBe(status)
  }
  expect(seen).toEqual(['evt_1', 'Unsigned'])
})

it('a receiver is a handler of requests, and a stream', () => {
  expectTypeOf<Receiver['fetch']>().toEqualTypeOf<(request: Request) => Promise<Response>>()
})
