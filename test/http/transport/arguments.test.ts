/** Arguments that `fetch` refuses were not sent. The oracle: the same errors, thrown after the answer, prove nothing. */
import { request } from 'node:http'
import { firstValueFrom } from 'rxjs'
import { fetch as undiciFetch } from 'undici'
import { describe, expect, it, vi } from 'vitest'
import { E } from '../../../src/fp.js'
import { type ClientOptions, createClient, type Fetch } from '../../../src/index.js'
import { judge } from '../../support/judge.js'
import { closing } from '../../support/judged.js'

const coded = (code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error('no'), { code }) })

/** Errors of arguments, as the `fetch` of Node 22 to 26 throws them. */
const REFUSALS = {
  'the dispatcher of another undici': coded('UND_ERR_INVALID_ARG'),
  'an AbortSignal of another realm': new TypeError(
    'RequestInit: Expected signal ("AbortSignal {}") to be an instance of AbortSignal.',
  ),
  'an invalid URL': coded('ERR_INVALID_URL'),
  'an argument of a wrong type': Object.assign(new TypeError('no'), {
    code: 'ERR_INVALID_ARG_TYPE',
  }),
}

const refusals = Object.entries(REFUSALS)

const runtimeFetch = fetch

/** Ways to send, none of which the client makes itself. */
const senders: Readonly<Record<string, Fetch>> = {
  'the runtime’s fetch': (url, init) => runtimeFetch(url, init),
  'undici’s fetch': (url, init) => undiciFetch(url, init),
  'node:http': (url, { method, headers, body }) =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method, headers }, (response) => {
        response.resume().on('end', () => resolve(new Response()))
      })
      sent.on('error', reject).end(body)
    }),
}

/** Submits a batch: a write that no retry and no look-up can make clear. */
const submit = async (options: ClientOptions) => {
  const server = closing(await judge({ fault: () => ({ status: 200, body: {} }) }))
  const client = createClient({
    baseUrl: server.url,
    credentials: { token: () => Promise.resolve({ token: 't' }) },
    lookUpFor: 0,
    ...options,
  })
  const ended = await firstValueFrom(client.batchTransfers.submit({ id: 'b' }))
  return { ended, seen: server.seen.length }
}

const unsent = E.left({
  ...{ _tag: 'Unreachable', mayHaveArrived: false, attempts: 1 }, // once: it would fail again
  ...{ endpoint: expect.anything(), code: expect.anything(), message: expect.anything() },
})

const throwing = (error: Error) => () => Promise.reject(error)

const throwingAfter =
  (send: Fetch, error: Error): Fetch =>
  async (url, init) => {
    await send(url, init)
    throw error
  }

describe.each(refusals)('%s', (name, error) => {
  it('was not sent by the runtime’s own fetch', async () => {
    vi.stubGlobal('fetch', throwing(error))
    expect(await submit({})).toEqual({ ended: unsent, seen: 0 })
  })

  it('may have been sent by a fetch of the caller, unless it is undici that refuses', async () => {
    const { ended } = await submit({ fetch: throwing(error) })
    if (name === 'the dispatcher of another undici') expect(ended).toEqual(unsent)
    else expect(ended).toMatchObject(E.left({ _tag: 'Ambiguous' }))
  })

  it.each(Object.entries(senders))('was sent if it follows the answer to %s', async (_, send) => {
    const own = await submit({ fetch: throwingAfter(send, error) })
    expect(own).toMatchObject({ ended: E.left({ _tag: 'Ambiguous' }), seen: 1 })
    vi.stubGlobal('fetch', throwingAfter(send, error))
    const patched = await submit({})
    expect(patched).toMatchObject({ ended: E.left({ _tag: 'Ambiguous' }), seen: 1 })
  })
})
