/** A `fetch` of the caller's own, which need not be the runtime's, nor know its classes. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { firstValueFrom, lastValueFrom, toArray } from 'rxjs'
import { fetch as undiciFetch } from 'undici'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { E } from '../../../src/fp.js'
import { type Client, createClient, type Fetch } from '../../../src/index.js'
import { createSandbox, type Sandbox } from '../../../src/sandbox/index.js'
import { type Judge, type JudgeOptions, judge } from '../../support/judge.js'
import { closing } from '../../support/judged.js'
import { CHARGE, NEW_CHARGE, USER_AGENT } from '../../support/lab.js'
import { sandboxClient } from '../../support/sandboxClient.js'
import { speaking } from '../../support/speaking.js'

const serve = async (options: JudgeOptions): Promise<Judge> => closing(await judge(options))

const clientOf = (baseUrl: string, fetch: Fetch): Client =>
  createClient({
    baseUrl,
    credentials: { token: () => Promise.resolve({ token: 'own-token' }) },
    apiVersion: '2026-08-21',
    onBehalfOf: 'acct_1',
    retry: { faults: 0 },
    fetch,
  })

const charge = (client: Client) => firstValueFrom(client.charges.retrieve({ id: 'chg_1' }))

/** The type of the package node-fetch: its body is a stream of Node. */
type NodeFetch = (
  url: string | URL,
  init?: { method?: string; headers?: Record<string, string>; body?: string | null },
) => Promise<{
  readonly status: number
  readonly headers: Headers
  readonly body: NodeJS.ReadableStream | null
}>

it('may be the runtime’s, undici’s or a sandbox’s, without a cast', () => {
  expectTypeOf<typeof fetch>().toExtend<Fetch>()
  expectTypeOf<typeof undiciFetch>().toExtend<Fetch>()
  expectTypeOf<Sandbox['fetch']>().toExtend<Fetch>()
  expectTypeOf<(url: string) => Promise<Response>>().toExtend<Fetch>()
  expectTypeOf<NodeFetch>().toExtend<Fetch>()
  expectTypeOf<(request: Request) => Promise<Response>>().not.toExtend<Fetch>()
})

describe('undici’s', () => {
  it('sends what the runtime’s does', async () => {
    const server = await serve({ fault: () => ({ status: 200, body: CHARGE }) })
    for (const own of [fetch, undiciFetch]) {
      const client = clientOf(server.url, (url, init) => own(url, init))
      expect(await charge(client)).toMatchObject(E.right({ id: 'chg_1' }))
      expect(await firstValueFrom(client.charges.create(NEW_CHARGE))).toMatchObject(
        E.right({ id: 'chg_1' }),
      )
    }
    const said = server.seen.map(({ method, url, headers, body }) => ({
      method,
      url: url.pathname,
      authorization: headers.authorization,
      version: headers['x-api-version'],
      onBehalfOf: headers['x-on-behalf-of'],
      body: { ...JSON.parse(body || '{}'), request_id: '' },
    }))
    expect(said.slice(2)).toEqual(said.slice(0, 2))
    expect(said[1]).toMatchObject({
      authorization: 'Bearer own-token',
      version: '2026-08-21',
      onBehalfOf: 'acct_1',
      body: NEW_CHARGE,
    })
  })

  it('reports a refused connection, and aborts on unsubscribe', async () => {
    const gone = await serve({})
    await gone.close()
    expect(await charge(clientOf(gone.url, undiciFetch))).toMatchObject(
      E.left({ _tag: 'Unreachable', code: 'ECONNREFUSED', mayHaveArrived: false }),
    )
    const silent = await serve({ fault: () => 'silent' })
    const left = clientOf(silent.url, undiciFetch).charges.retrieve({ id: 'chg_1' }).subscribe()
    await silent.until(() => silent.seen.length === 1)
    left.unsubscribe()
    await silent.until(() => silent.abandoned() === 1)
  })

  it('has the time limit for connecting, too', async () => {
    const { port } = closing(await speaking(() => {})) // accepts, and never says a word
    const client = clientOf(`https://127.0.0.1:${port}`, undiciFetch)
    expect(await charge(client.with({ timeout: { connect: 20 } }))).toMatchObject(
      E.left({ _tag: 'TimedOut', phase: 'connect', limit: 20 }),
    )
  })
})

describe('a recorded one', () => {
  const recorded = (status: number, text: string) => {
    const asked: Array<Parameters<Fetch>> = []
    const answer: Awaited<ReturnType<Fetch>> = {
      status,
      headers: { get: (name) => (name === 'x-request-id' ? 'trace-1' : null) },
      body: (async function* () {
        yield new TextEncoder().encode(text.slice(0, 9))
        yield new TextEncoder().encode(text.slice(9))
      })(),
    }
    const fetch: Fetch = async (...all) => {
      asked.push(all)
      return answer
    }
    return { fetch, asked }
  }

  it('gets a URL as text and the whole request, and returns only what is read', async () => {
    const { fetch, asked } = recorded(200, JSON.stringify(CHARGE))
    expect(await charge(clientOf('https://platform.test', fetch))).toMatchObject(
      E.right({ id: 'chg_1' }),
    )
    expect(asked).toEqual([
      [
        'https://platform.test/api/v1/charges/chg_1',
        {
          method: 'GET',
          headers: {
            accept: 'application/json',
            'content-type': 'application/json',
            'user-agent': USER_AGENT,
            authorization: 'Bearer own-token',
            'x-api-version': '2026-08-21',
            'x-on-behalf-of': 'acct_1',
          },
          signal: expect.any(AbortSignal),
          redirect: 'manual',
        },
      ],
    ])
  })

  it('has its refusals read like any other', async () => {
    const { fetch } = recorded(404, '{"code":"not_found","message":"no such charge"}')
    expect(await charge(clientOf('https://platform.test', fetch))).toMatchObject(
      E.left({ _tag: 'Refused', status: 404, code: 'not_found', traceId: 'trace-1' }),
    )
  })

  it('whose body is a text, which no part of is told', async () => {
    const text = '{"secret":"whsec_hidden"}'
    for (const body of [JSON.parse(JSON.stringify(text)), Object(text)]) {
      const answer = { status: 200, headers: { get: () => null }, body }
      const told = await charge(clientOf('https://platform.test', async () => answer))
      expect(told).toMatchObject(
        E.left({
          _tag: 'Unreachable',
          message: expect.stringMatching(/FETCH_FAILED: the body of the response is not a stream$/),
        }),
      )
      expect(JSON.stringify(told)).not.toContain('whsec')
    }
  })

  it('may throw at once: that is a fault of the line', async () => {
    const client = clientOf('https://platform.test', () => {
      throw Object.assign(new Error('nothing recorded'), { code: 'NOT_RECORDED' })
    })
    expect(await firstValueFrom(client.batchTransfers.submit({ id: 'b' }))).toMatchObject(
      E.left({ _tag: 'Ambiguous', cause: { _tag: 'Unreachable', code: 'NOT_RECORDED' } }),
    )
  })
})

it.each([
  ['UND_ERR_CONNECT_TIMEOUT', false],
  ['UND_ERR_HEADERS_TIMEOUT', true],
])('one with time limits of its own, which are unknown: %s', async (code, mayHaveArrived) => {
  const client = clientOf('https://platform.test', () => {
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('late'), { code }) })
  })
  expect(await charge(client)).toMatchObject(
    E.left({
      ...{ _tag: 'Unreachable', code, mayHaveArrived },
      message: expect.stringContaining('late'),
    }),
  )
})

it('a sandbox’s takes a URL with an init, and a Request', async () => {
  const { fetch } = createSandbox({ charges: 3 })
  const client = sandboxClient((url, init) => fetch(new Request(url, init)))
  const direct = sandboxClient(fetch)
  for (const one of [client, direct]) {
    expect(await lastValueFrom(one.charges.list().pipe(toArray()))).toHaveLength(3)
  }
})

describe('a body of iterators', () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const broken = (): never => {
    throw new Error('cannot be left')
  }

  it.each<readonly [string, () => unknown]>([
    ['at once', () => ({ done: true })],
    ['by throwing', broken],
    ['by rejecting', () => Promise.reject(new Error('cannot be left'))],
  ])('may end %s', async (_, leave) => {
    let left = 0
    const answering =
      (status: number): Fetch =>
      async () => {
        const parts = [bytes(JSON.stringify(CHARGE))]
        const iterator = {
          next: async () => {
            const value = parts.shift()
            return value === undefined ? { done: true, value } : { done: false, value }
          },
          return: () => {
            left++
            return leave()
          },
        }
        const body = { [Symbol.asyncIterator]: () => iterator }
        return { status, headers: { get: () => null }, body: Object(body) }
      }
    expect(await charge(clientOf('https://own', answering(200)))).toMatchObject(
      E.right({ id: 'chg_1' }),
    )
    expect(await charge(clientOf('https://own', answering(404)))).toMatchObject(
      E.left({ _tag: 'Refused', status: 404 }),
    )
    expect(left).toBe(0) // it had come to its end
  })

  /** A call whose answer has these parts. */
  const reading = (iterator: object) => {
    const body = Object({ [Symbol.asyncIterator]: () => iterator })
    const answer = { status: 200, headers: { get: () => null }, body }
    return clientOf('https://own', async () => answer).charges.retrieve({ id: 'chg_1' })
  }

  it('is cancelled by unsubscribing, also if cancelling fails', async () => {
    let begun = (): void => {}
    const asked = new Promise<void>((resolve) => {
      begun = resolve
    })
    const left = new Promise<void>((resolve) => {
      const iterator = {
        next: () => {
          begun()
          return new Promise<never>(() => {})
        },
        return: () => {
          resolve()
          return broken()
        },
      }
      const listening = reading(iterator).subscribe()
      void asked.then(() => listening.unsubscribe())
    })
    await expect(left).resolves.toBeUndefined()
  })

  it('that cannot be cancelled is read no further after unsubscribing', async () => {
    let taken = 0
    let leave = (): void => {}
    const left = new Promise<void>((resolve) => {
      const iterator = {
        next: async () => {
          taken++
          if (taken === 3) leave()
          return taken < 100 ? { done: false, value: bytes(' ') } : { done: true }
        },
      }
      const listening = reading(iterator).subscribe()
      leave = () => {
        listening.unsubscribe()
        resolve()
      }
    })
    await left
    await new Promise(setImmediate)
    expect(taken).toBe(3)
  })
})

it('a body of text is read as UTF-8, as of a stream of Node with an encoding', async () => {
  const [begin, end] = [JSON.stringify(CHARGE).slice(0, 20), JSON.stringify(CHARGE).slice(20)]
  const body = Readable.from([begin, end]).setEncoding('utf8')
  const response = { status: 200, headers: { get: () => null }, body }
  expect(await charge(clientOf('https://own', async () => response))).toEqual(E.right(CHARGE))
})

describe('one that a test has made by half', () => {
  it.each<readonly [string, unknown, string]>([
    ['nothing', undefined, 'no status, no headers.get, no body (a stream, or null)'],
    ['json alone', { ok: true, json: async () => CHARGE }, 'no status, no headers.get, no body'],
    ['no headers', { status: 200, body: null }, 'no headers.get'],
    ['plain headers', { status: 200, headers: { a: 'b' }, body: null }, 'no headers.get'],
    ['no body', { status: 200, headers: new Headers(), json: async () => CHARGE }, 'no body'],
  ])('is a failure that says what is missing: %s', async (_, response, missing) => {
    const mock = async () => response
    const made: unknown = Reflect.apply(clientOf, undefined, ['https://platform.test', mock])
    expect(await charge(made as Client)).toMatchObject(
      E.left({ _tag: 'Unreachable', message: expect.stringContaining(missing) }),
    )
  })
})

it('all clients share one AsyncLocalStorage: each further one would slow the process', async () => {
  vi.stubGlobal('fetch', async () => new Response(JSON.stringify(CHARGE)))
  const run = vi.spyOn(AsyncLocalStorage.prototype, 'run')
  const credentials = { token: () => Promise.resolve({ token: 'own-token' }) }
  for (let i = 0; i < 5; i++) {
    const client = createClient({ baseUrl: 'https://platform.test', credentials })
    expect(await charge(client)).toEqual(E.right(CHARGE))
  }
  expect(run.mock.contexts).toHaveLength(5)
  expect(new Set(run.mock.contexts).size).toBe(1)
})
