import { once } from 'node:events'
import { get } from 'node:http'
import { connect } from 'node:net'
import { asyncScheduler, Subscription } from 'rxjs'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createSandbox,
  type FaultName,
  listen,
  type SandboxOptions,
} from '../../src/sandbox/index.js'
import { loginHeaders, newCharge, partnerHeaders, stillClock } from './support.js'

/** A sandbox on a free port whose timers do not wait, and a caller that is logged in. */
const onPort = async (options: SandboxOptions = {}) => {
  const sandbox = createSandbox({
    charges: 5_000,
    limits: false,
    timer: {
      now: () => asyncScheduler.now(),
      schedule: (work, _, state) => {
        const immediate = setImmediate(() => Reflect.apply(work, undefined, [state]))
        return new Subscription(() => clearImmediate(immediate))
      },
    },
    ...options,
  })
  const { url, port, close } = await listen(sandbox)
  onTestFinished(close)
  const sent = { method: 'POST', headers: loginHeaders }
  const login = await fetch(`${url}/api/v1/authentication/login`, sent)
  const session: unknown = await login.json()
  const headers = { authorization: `Bearer ${Object(session).token}` }
  const get = (path: string, fault?: FaultName, signal?: AbortSignal) =>
    fetch(`${url}${path}`, {
      headers: { ...headers, ...(fault === undefined ? {} : { 'x-sandbox-fault': fault }) },
      ...(signal === undefined ? {} : { signal }),
    })
  return { sandbox, url, port, close, get, headers }
}

const none = { global: 1e9, endpoint: 1e9, logins: 1e9 }

const LIST = '/api/v1/charges?page_size=2000'

/** Lets connections open, close and be told of each other. */
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

describe('a sandbox on a port', () => {
  it.skipIf(process.platform !== 'linux')('is reached by other machines by its name', async () => {
    const statusAt = (port: number): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        // another address of this machine: one that listens on 127.0.0.1 does not have it
        const to = {
          host: '127.0.0.2',
          port,
          path: '/api/v1/charges',
          headers: { host: 'sandbox' },
        }
        get(to, ({ statusCode }) => resolve(statusCode)).on('error', reject)
      })
    const own = await listen({})
    onTestFinished(own.close)
    await expect(statusAt(own.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    const shared = await listen({}, { host: '0.0.0.0', allowHosts: ['sandbox'] })
    onTestFinished(shared.close)
    expect(await statusAt(shared.port)).toBe(401)
    expect(shared.url).toBe(`http://127.0.0.1:${shared.port}`)
  })

  const postAs = async (port: number, head: string): Promise<string> => {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST /api/v1/authentication/login HTTP/1.1\r\nx-client-id: sandbox\r\nx-api-key: sandbox-key\r\n${head}\r\n\r\n`,
    )
    const [answer] = await once(socket, 'data')
    socket.destroy()
    return String(answer).slice(9, 12)
  }

  it.each([
    ['localhost', '201'],
    ['localhost:8080', '201'],
    ['api.localhost', '201'],
    ['127.0.0.1:80', '201'],
    ['127.1.2.3', '201'],
    ['[::1]:8080', '201'],
    ['Sandbox.Test:8080', '201'],
    ['evil.example', '403'],
    ['localhost.evil.example', '403'],
    ['127.0.0.1.evil.example', '403'],
    ['evil.example:127.0.0.1', '403'],
    ['', '403'],
  ])('asked as %s answers %s', async (host, status) => {
    const { port, close } = await listen({ charges: 10 }, { allowHosts: ['sandbox.test'] })
    onTestFinished(close)
    expect(await postAs(port, `host: ${host}\r\ncontent-length: 0`)).toBe(status)
  })

  it.each([[5], 'sandbox', ['']])('takes no %j for names of hosts', async (allowHosts) => {
    const options: Readonly<Record<string, unknown>> = { allowHosts }
    await expect(listen({}, options)).rejects.toMatchObject({ name: 'InvalidOption' })
  })

  it('reads no body beyond 1 MiB, announced or not', async () => {
    const { url, headers } = await onPort()
    const post = (length: number) =>
      fetch(`${url}/api/v1/charges/create`, {
        method: 'POST',
        headers,
        body: ' '.repeat(length),
      }).then(({ status }) => status)
    expect([await post(1_048_576), await post(1_048_577)]).toEqual([400, 413])
    const { sandbox } = await onPort()
    const endless = new ReadableStream({ pull: (out) => out.enqueue(new Uint8Array(65_536)) })
    const sent = { method: 'POST', headers: loginHeaders, body: endless, duplex: 'half' }
    const login = await sandbox.fetch('http://here/api/v1/authentication/login', sent)
    expect(login.status).toBe(413)
  })

  it('answers as it does in process', async () => {
    const { sandbox, get, headers, url, port } = await onPort()
    const answer = await get(LIST)
    expect(url).toBe(`http://127.0.0.1:${port}`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/json')
    const text = await answer.text()
    expect(Number(answer.headers.get('content-length'))).toBe(text.length)
    const inProcess = await sandbox.fetch(`http://sandbox.test${LIST}`, { headers })
    expect(text).toBe(await inProcess.text())
  })

  it('says what a plan of faults throws', async () => {
    const { url } = await onPort({
      faults: ({ route }) => {
        if (route === 'GET /api/v1/charges') throw new RangeError('no such day')
        return undefined
      },
    })
    const answer = await fetch(`${url}/api/v1/charges`)
    expect(answer.status).toBe(500)
    const message = 'RangeError: no such day'
    expect(await answer.json()).toEqual({ code: 'internal_error', message })
  })

  it('reads what is posted', async () => {
    const { url, headers } = await onPort()
    const body = { ...newCharge, reference: 'Zoë' }
    const created = await fetch(`${url}/api/v1/charges/create`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(created.status).toBe(201)
    expect(await created.json()).toMatchObject({ ...body, amount: 12.5, status: 'NEW' })
  })

  it('answers a text, or nothing, where the interface shows no body', async () => {
    const { url } = await onPort()
    const webhooks = `${url}/partner-api/v1/webhooks`
    const post = (path: string, body: object) =>
      fetch(`${webhooks}/${path}`, {
        method: 'POST',
        headers: partnerHeaders,
        body: JSON.stringify(body),
      })
    const asked = { events: [], request_id: 'hook-1', url: 'https://a.test', version: '2026-08-21' }
    const { id } = Object(await (await post('create', asked)).json())
    const connected = await post(`${id}/connect`, { account_id: 'acct_1' })
    expect(connected.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await connected.text()).toBe('OK')
    const deleted = await post(`${id}/delete`, {})
    expect([deleted.status, deleted.headers.get('content-type')]).toEqual([200, null])
    expect(await deleted.text()).toBe('')
  })

  it('takes options, and refuses a port that is taken', async () => {
    const { url, port, close } = await listen({ charges: 1 })
    onTestFinished(close)
    expect((await fetch(`${url}/api/v1/charges`)).status).toBe(401)
    await expect(listen({}, { port })).rejects.toThrow('EADDRINUSE')
  })

  it('leaves the global Request and Response alone', async () => {
    const before = [globalThis.Request, globalThis.Response]
    await onPort()
    expect([globalThis.Request, globalThis.Response]).toEqual(before)
  })

  it('gives a place back before the other side can ask again', async () => {
    const { sandbox, get } = await onPort({ limits: { ...none, concurrency: 2 } })
    for (let n = 0; n < 10; n++) {
      const all = await Promise.all([get(LIST), get(LIST)])
      expect(all.map(({ status }) => status)).toEqual([200, 200])
      await Promise.all(all.map((answer) => answer.arrayBuffer()))
    }
    expect(sandbox.stats().refused.concurrency).toBe(0)
  })

  it('closes while requests wait for their answers', async () => {
    const { sandbox, get, close } = await onPort()
    const waiting = expect(get(LIST, 'no-answer')).rejects.toThrow()
    const stalled = await get(LIST, 'stall')
    const text = expect(stalled.text()).rejects.toThrow()
    await until(() => sandbox.stats().requests === 3)
    await close()
    await Promise.all([waiting, text])
    await expect(get(LIST)).rejects.toThrow()
  })

  it.each([
    ['to the sandbox', 0],
    ['back', 30_000],
  ])('closes while requests are on their way %s, and waits for none of them', async (_, passed) => {
    const clock = stillClock()
    const options = { limits: { ...none, concurrency: 1 }, latency: 60_000, timer: clock.timer }
    const sandbox = createSandbox(options)
    const first = await listen(sandbox)
    const cut = expect(fetch(`${first.url}${LIST}`)).rejects.toThrow()
    await until(() => clock.waiting() === 1)
    clock.pass(passed)
    await until(() => clock.waiting() === 1)
    await first.close()
    await cut
    expect(clock.waiting()).toBe(0)

    const second = await listen(sandbox)
    onTestFinished(second.close)
    const answer = fetch(`${second.url}${LIST}`)
    for (const _half of ['in', 'back']) {
      await until(() => clock.waiting() === 1)
      clock.pass(30_000)
    }
    expect((await answer).status).toBe(401) // the only place is free
  })

  it('lets many wait for their answers without a warning, as Node 22.12 has for what waits for a signal', async () => {
    const warned: Array<string> = []
    const warn = ({ message }: Error) => warned.push(message)
    process.on('warning', warn)
    onTestFinished(() => {
      process.off('warning', warn)
    })
    const clock = stillClock()
    const { url, close } = await listen({ limits: false, latency: 1_000, timer: clock.timer })
    const cut = Array.from({ length: 20 }, () => expect(fetch(`${url}${LIST}`)).rejects.toThrow())
    await until(() => clock.waiting() === 20)
    await close()
    await Promise.all(cut)
    expect(warned).toEqual([])
  })
})

describe('over a socket', () => {
  it.each(['reset-before', 'reset-after'] as const)('%s closes it', async (fault) => {
    const { get } = await onPort()
    const failure: unknown = await get(LIST, fault).catch((error: unknown) => error)
    expect(failure).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } })
    expect((await get(LIST)).status).toBe(200)
  })

  it('reset-before closes it, also when it waits behind another request of its connection', async () => {
    const { port } = await onPort()
    const get = (fault: string) =>
      `GET ${LIST} HTTP/1.1\r\nhost: localhost\r\nx-sandbox-fault: ${fault}\r\n\r\n`
    const socket = connect(port, '127.0.0.1')
    const closed = once(socket, 'close')
    socket.resume().write(get('stall') + get('reset-before'))
    await expect(closed).rejects.toMatchObject({ code: 'ECONNRESET' })
  })

  it('cut-off closes it halfway through the body', async () => {
    const { get } = await onPort()
    const whole = (await (await get(LIST)).text()).length
    const answer = await get(LIST, 'cut-off')
    expect(answer.status).toBe(200)
    expect(Number(answer.headers.get('content-length'))).toBe(whole)
    await expect(answer.text()).rejects.toThrow('terminated')
  })

  it('stall leaves it open, and its place taken until the other side hangs up', async () => {
    const { sandbox, get } = await onPort({ limits: { ...none, concurrency: 1 } })
    const stop = new AbortController()
    const answer = await get(LIST, 'stall', stop.signal)
    const text = expect(answer.text()).rejects.toThrow('given up')
    expect((await get(LIST)).status).toBe(429)
    stop.abort(new Error('given up'))
    await text
    await until(() => sandbox.stats().refused.concurrency > 0)
    let status = 429
    while (status === 429) status = (await get(LIST)).status
    expect(status).toBe(200)
  })

  it.each([
    ['cut-off', 'terminated'],
    ['stall', 'given up'],
  ] as const)('%s leaves a body without end that would be empty', async (fault, why) => {
    const { url } = await onPort()
    const stop = new AbortController()
    const post = (path: string, body: object, more: HeadersInit = {}) =>
      fetch(`${url}/partner-api/v1/webhooks/${path}`, {
        method: 'POST',
        headers: { ...partnerHeaders, ...more },
        body: JSON.stringify(body),
        signal: stop.signal,
      })
    const asked = { events: [], request_id: 'hook-1', url: 'https://a.test', version: '2026-08-21' }
    const { id } = Object(await (await post('create', asked)).json())
    const deleted = await post(`${id}/delete`, {}, { 'x-sandbox-fault': fault })
    const text = expect(deleted.text()).rejects.toThrow(why)
    // on a connection of its own: it is not queued behind an answer that never ends
    expect((await post(`${id}/delete`, {})).status).toBe(404)
    stop.abort(new Error('given up'))
    await text
  })

  it('no-answer leaves it open', async () => {
    const { sandbox, get } = await onPort()
    const stop = new AbortController()
    const answer = expect(get(LIST, 'no-answer', stop.signal)).rejects.toThrow('given up')
    await until(() => sandbox.stats().faults['no-answer'] === 1)
    stop.abort(new Error('given up'))
    await answer
  })

  it('slow sends all of it', async () => {
    const { get } = await onPort()
    const answer = await get(LIST, 'slow')
    expect(answer.headers.get('content-length')).toBeNull()
    expect(await answer.text()).toBe(await (await get(LIST)).text())
  })

  it('a caller that hangs up gives its place back', async () => {
    const { sandbox, get } = await onPort({ limits: { ...none, concurrency: 1 } })
    for (let n = 0; n < 5; n++) {
      const stop = new AbortController()
      const answer = get(LIST, 'no-answer', stop.signal).catch(() => undefined)
      const seen = sandbox.stats().requests
      await until(() => sandbox.stats().requests > seen)
      stop.abort()
      await answer
    }
    let status = 429
    while (status === 429) status = (await get(LIST)).status
    expect(status).toBe(200)
  })
})
