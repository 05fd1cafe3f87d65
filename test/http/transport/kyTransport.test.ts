/** The Transport that sends, over real sockets, against servers that share no code with it. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Socket } from 'node:net'
import { firstValueFrom, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it, vi } from 'vitest'
import { E } from '../../../src/fp.js'
import { kyTransport } from '../../../src/http/transport/kyTransport.js'
import type { Fetch, HttpRequest, HttpResponse, TransportError } from '../../../src/index.js'
import { CLIENT, type Fault, type Judge, type JudgeOptions, judge } from '../../support/judge.js'
import { closing } from '../../support/judged.js'
import { speaking } from '../../support/speaking.js'
import { PATIENT } from '../../support/timeouts.js'

const serve = async (options: JudgeOptions): Promise<Judge> => closing(await judge(options))

/** A server that speaks whatever `talk` makes it say. */
const tcp = async (talk: (socket: Socket) => void) => closing(await speaking(talk)).port

const get = (url: string, timeout: HttpRequest['timeout'] = PATIENT): HttpRequest => ({
  method: 'GET',
  url,
  headers: { accept: 'application/json' },
  timeout,
})

/** A request that the judge answers with a success. */
const login = ({ url }: Judge, timeout: HttpRequest['timeout'] = PATIENT): HttpRequest => ({
  method: 'POST',
  url: `${url}/api/v1/authentication/login`,
  headers: { 'x-client-id': CLIENT.clientId, 'x-api-key': CLIENT.apiKey },
  body: '{}',
  timeout,
})

const send = (request: HttpRequest): Promise<E.Either<TransportError, HttpResponse>> =>
  firstValueFrom(kyTransport()(request))

const whole = { status: 200, body: { text: 'Zoë €' }, headers: { 'x-request-id': 'id-1' } }

describe('a request', () => {
  it('is not sent before it is subscribed, and once each time that it is', async () => {
    const server = await serve({ fault: () => whole })
    const ready = kyTransport()(get(`${server.url}/a`))
    expect(server.seen).toEqual([])
    await firstValueFrom(ready)
    await firstValueFrom(ready)
    expect(server.seen).toHaveLength(2)
  })

  it('arrives with its method, target, headers and body', async () => {
    const server = await serve({ fault: () => whole })
    await send({
      method: 'POST',
      url: `${server.url}/api/v1/x?from=2024-01-01T00%3A00%3A00%2B0000`,
      headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
      body: '{"name":"Zoë €"}',
      timeout: PATIENT,
    })
    expect(server.seen).toMatchObject([
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
        body: '{"name":"Zoë €"}',
      },
    ])
    expect(server.seen[0]?.url.search).toBe('?from=2024-01-01T00%3A00%3A00%2B0000')
  })

  it.each([200, 201, 204, 400, 401, 404, 429, 500, 503])(
    'is answered by any status, here %i, and sent once',
    async (status) => {
      const server = await serve({ fault: () => ({ ...whole, status }) })
      const answer = await send(get(server.url))
      expect(answer).toMatchObject(E.right({ status }))
      expect(server.seen).toHaveLength(1)
    },
  )

  it('has its whole answer read, with the headers', async () => {
    const server = await serve({ fault: () => whole })
    const answer = await send(get(server.url))
    if (E.isLeft(answer)) throw new Error(answer.left._tag)
    expect(JSON.parse(answer.right.body)).toEqual({ text: 'Zoë €' })
    expect(answer.right.header('x-request-id')).toBe('id-1')
    expect(answer.right.header('X-Request-Id')).toBe('id-1')
    expect(answer.right.header('x-none')).toBeUndefined()
  })

  it('follows no redirect: it would carry the credentials to somebody else', async () => {
    const other = await serve({ fault: () => whole })
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await serve({
        fault: () => ({ status, headers: { location: `${other.url}/elsewhere` } }),
      })
      expect(await send(get(server.url))).toMatchObject(E.right({ status }))
    }
    expect(other.seen).toEqual([])
  })

  it('that `fetch` would refuse is no bug, and no secret shows', async () => {
    const server = await serve({ fault: () => whole })
    const bad = { ...get(server.url), headers: { 'x-pan': '4111\r\n1111' } }
    expect(await send(bad)).toMatchObject(E.left({ _tag: 'Unreachable' }))
    expect(server.seen).toEqual([])
  })
})

describe('a fault of the line', () => {
  it.each<readonly [Fault, string]>([
    ['reset', 'ECONNRESET'],
    ['cut-length', 'UND_ERR_SOCKET'],
    ['cut-chunked', 'UND_ERR_SOCKET'],
  ])('%s is told, and may have come after the request was done', async (fault, code) => {
    const server = await serve({ charges: 100, fault: () => fault })
    const answer = await send(login(server))
    expect(answer).toEqual(
      E.left({ _tag: 'Unreachable', code, reason: expect.any(String), mayHaveArrived: true }),
    )
  })

  it('that ends a body of untold length early leaves half a text', async () => {
    const server = await serve({ charges: 100, fault: () => 'cut-close' })
    const answer = await send(login(server))
    if (E.isLeft(answer)) throw new Error(answer.left._tag)
    expect(() => JSON.parse(answer.right.body)).toThrow(SyntaxError)
  })

  it('is a refused connection at a closed port: nothing has arrived', async () => {
    const server = await serve({})
    await server.close()
    expect(await send(get(server.url))).toMatchObject(
      E.left({ _tag: 'Unreachable', code: 'ECONNREFUSED', mayHaveArrived: false }),
    )
  })

  it('is a name that is not found', async () => {
    const answer = await send(get('http://no-such-host.invalid/'))
    expect(answer).toMatchObject(E.left({ _tag: 'Unreachable', mayHaveArrived: false }))
  })

  it.each<readonly [string, (socket: Socket) => void]>([
    ['no TLS', (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
    ['the end', (socket) => socket.once('data', () => socket.destroy())],
    ['a reset', (socket) => socket.once('data', () => socket.resetAndDestroy())],
  ])('in the handshake of TLS comes before anything is sent: %s', async (_, talk) => {
    const port = await tcp(talk)
    expect(await send(get(`https://127.0.0.1:${port}`))).toMatchObject(
      E.left({ _tag: 'Unreachable', mayHaveArrived: false }),
    )
  })

  it('is a port that `fetch` asks nothing of', async () => {
    expect(await send(get('https://127.0.0.1:25'))).toEqual(
      E.left({
        _tag: 'Unreachable',
        code: 'BLOCKED_PORT',
        reason: 'bad port',
        mayHaveArrived: false,
      }),
    )
  })

  it('is a 407, of which `fetch` tells nothing', async () => {
    const server = await serve({ fault: () => ({ status: 407 }) })
    expect(await send(get(server.url))).toEqual(
      E.left({
        _tag: 'Unreachable',
        code: 'FETCH_FAILED',
        reason: 'fetch gives no reason: perhaps a proxy answered 407 and requires a login',
        mayHaveArrived: true,
      }),
    )
  })

  it('is no proof that nothing left where the caller’s own `fetch` asks for something else, too', async () => {
    const port = await tcp((socket) => socket.once('data', () => socket.destroy()))
    const transport = kyTransport({
      fetch: async () => {
        await fetch(`https://127.0.0.1:${port}`).catch(() => {})
        throw Object.assign(new Error('broke'), { code: 'ECONNRESET' })
      },
    })
    expect(await firstValueFrom(transport(get('https://platform.test/')))).toMatchObject(
      E.left({ code: 'ECONNRESET', mayHaveArrived: true }),
    )
  })

  it.each(['EHOSTUNREACH', 'ENETUNREACH'])(
    'is no proof that nothing left when the network breaks under a connection: %s',
    async (code) => {
      const sockets: Array<Socket> = []
      const opened = (message: unknown): void => {
        sockets.push((message as { readonly socket: Socket }).socket)
      }
      subscribe('undici:client:connected', opened)
      const server = await serve({ fault: () => 'silent' })
      const out = send({ ...get(server.url), method: 'POST', body: '{}' })
      await server.until(() => server.seen.length === 1)
      unsubscribe('undici:client:connected', opened)
      const broken = Object.assign(new Error(`read ${code}`), { code, syscall: 'read' })
      for (const socket of sockets) socket.destroy(broken)
      expect(await out).toMatchObject(E.left({ _tag: 'Unreachable', code, mayHaveArrived: true }))
    },
  )

  it.each([
    ['ECONNREFUSED', 'connect', false],
    ['ENOTFOUND', 'getaddrinfo', false],
    ['EHOSTUNREACH', 'connect', false],
    ['EHOSTUNREACH', 'read', true],
    ['ENETUNREACH', 'connect', false],
    ['ENETUNREACH', 'write', true],
    ['ENETUNREACH', undefined, true],
    ['ECONNRESET', 'read', true],
  ])('in a custom `fetch` is read off its code: %s on %s', async (code, syscall, may) => {
    const cause = Object.assign(new Error(code), { code, syscall })
    const transport = kyTransport({
      fetch: () => Promise.reject(new TypeError('fetch failed', { cause })),
    })
    expect(await firstValueFrom(transport(get('https://platform.test/')))).toMatchObject(
      E.left({ _tag: 'Unreachable', code, mayHaveArrived: may }),
    )
  })

  it('is an answer that is no HTTP', async () => {
    const port = await tcp((socket) => socket.end('SSH-2.0-OpenSSH\r\n'))
    expect(await send(get(`http://127.0.0.1:${port}`))).toMatchObject(
      E.left({ _tag: 'Unreachable', mayHaveArrived: true }),
    )
  })
})

describe('a time limit', () => {
  /** Advances the time once the server has the request, and returns the result. */
  const late = async (fault: Fault, headersCame: boolean, pass: number) => {
    const server = await serve({ charges: 100, fault: () => fault })
    const timer = new VirtualTimeScheduler()
    let came = false
    const transport = kyTransport({
      timer,
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        came = true
        return response
      },
    })
    const limits = { connect: 60_000, headers: 500, body: 900, whole: 5_000 }
    const out: Array<E.Either<TransportError, HttpResponse>> = []
    let ended = false
    const subscription = transport(login(server, limits)).subscribe({
      next: (answer) => out.push(answer),
      complete: () => {
        ended = true
      },
    })
    await server.until(() => server.seen.length === 1)
    while (headersCame && !came) await new Promise(setImmediate)
    await new Promise(setImmediate)
    timer.maxFrames = pass
    timer.flush()
    subscription.unsubscribe()
    return { out, ended }
  }

  it('for the headers is kept', async () => {
    expect(await late('silent', false, 499)).toMatchObject({ out: [], ended: false })
    expect(await late('silent', false, 500)).toMatchObject({
      out: [E.left({ _tag: 'TimedOut', phase: 'headers', limit: 500 })],
      ended: true,
    })
  })

  it('for a body that stalls is kept', async () => {
    expect(await late('stall', true, 100_000)).toMatchObject({
      out: [E.left({ _tag: 'TimedOut', phase: 'body', limit: 900 })],
      ended: true,
    })
  })

  it('for connecting counts the handshake of TLS', async () => {
    const port = await tcp(() => {}) // accepts, and never says a word
    const limits = { ...PATIENT, connect: 20 }
    expect(await send(get(`https://127.0.0.1:${port}`, limits))).toEqual(
      E.left({ _tag: 'TimedOut', phase: 'connect', limit: 20 }),
    )
  })

  it('for connecting goes by its own connection, not by others made meanwhile', async () => {
    const port = await tcp(() => {})
    const server = await serve({ fault: () => whole })
    const timer = new VirtualTimeScheduler()
    const transport = kyTransport({ timer })
    const out: Array<E.Either<TransportError, HttpResponse>> = []
    transport(get(`https://127.0.0.1:${port}`, { ...PATIENT, connect: 20 })).subscribe((answer) =>
      out.push(answer),
    )
    await firstValueFrom(transport(get(server.url)))
    timer.maxFrames = 20
    timer.flush()
    expect(out).toEqual([E.left({ _tag: 'TimedOut', phase: 'connect', limit: 20 })])
  })
})

describe('a `fetch` of the caller’s own', () => {
  it('is used in place of the runtime’s, without its retries', async () => {
    const asked: Array<Request> = []
    const transport = kyTransport({
      fetch: async (input, init) => {
        asked.push(new Request(input, init))
        return new Response('{}', { status: 503 })
      },
    })
    const answer = await firstValueFrom(transport(get('https://platform.test/x')))
    expect(answer).toMatchObject(E.right({ status: 503 }))
    expect(asked.map(({ url, redirect }) => [url, redirect])).toEqual([
      ['https://platform.test/x', 'manual'],
    ])
  })

  it('that throws is a fault of the line', async () => {
    for (const error of [new TypeError('fetch failed'), 'a string', undefined]) {
      const transport = kyTransport({ fetch: () => Promise.reject(error) })
      expect(await firstValueFrom(transport(get('https://platform.test/x')))).toMatchObject(
        E.left({ _tag: 'Unreachable', code: 'FETCH_FAILED', mayHaveArrived: true }),
      )
    }
  })

  it('that answers nothing at all is one, too, and no rejection is left unhandled', async () => {
    const unhandled: Array<unknown> = []
    const heard = (reason: unknown): void => {
      unhandled.push(reason)
    }
    process.on('unhandledRejection', heard)
    const answer = await firstValueFrom(
      kyTransport({ fetch: vi.fn<Fetch>() })(get('https://platform.test/x')),
    )
    await new Promise(setImmediate)
    process.off('unhandledRejection', heard)
    expect(answer).toMatchObject(
      E.left({ _tag: 'Unreachable', code: 'FETCH_FAILED', mayHaveArrived: true }),
    )
    expect(unhandled).toEqual([])
  })
})
