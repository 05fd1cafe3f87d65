/** Functions of the caller's that fail: no call is ended by them, nor the process, and each is reported once. */
import { filter, map } from 'rxjs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { E } from '../../src/fp.js'
import type { ClientOptions } from '../../src/index.js'
import { CHARGE, lab, ME } from '../support/lab.js'

let told: Array<string> = []

beforeEach(() => {
  told = []
  vi.spyOn(console, 'warn').mockImplementation((line) => told.push(String(line)))
})
afterEach(() => {
  vi.restoreAllMocks()
})

const disk = (): never => {
  throw Object.assign(new Error(`write EPIPE after ${ME.apiKey}`), { code: 'EPIPE' })
}
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

/** Time for what is told later: of promises, and of errors that RxJS throws in a timer. */
const later = () => new Promise((resolve) => setTimeout(resolve, 5))

const call = (options: Partial<ClientOptions> = {}) => {
  const played = lab({ play: () => ({ body: CHARGE }), ...options })
  return { ...played, retrieve: () => played.run(played.client.charges.retrieve({ id: 'chg_1' })) }
}

describe('a log that fails', () => {
  it.each<readonly [string, NonNullable<ClientOptions['log']>]>([
    ['a function that throws', disk],
    ['a function whose promise is rejected', async () => disk()],
    ['a logger that throws', { ...silent, debug: disk }],
    ['a logger whose promise is rejected', { ...silent, debug: async () => disk() }],
  ])('ends no call, and is reported once, without secrets: %s', async (_, log) => {
    const { retrieve } = call({ log })
    expect(retrieve().map(({ value }) => E.isRight(value))).toEqual([true])
    expect(retrieve().map(({ value }) => E.isRight(value))).toEqual([true])
    await later()
    expect(told).toEqual([expect.stringContaining('the option log failed')])
    expect(told[0]).not.toContain(ME.apiKey)
  })

  it('ends nothing where stderr fails as well', async () => {
    vi.spyOn(console, 'warn').mockImplementation(disk)
    const { retrieve } = call({ log: disk })
    expect(retrieve().map(({ value }) => E.isRight(value))).toEqual([true])
    await later()
  })
})

describe('a subscriber of events that fails', () => {
  it.each<readonly [string, (client: ReturnType<typeof call>['client']) => unknown]>([
    ['a function', ({ events }) => events.subscribe(disk)],
    ['a function whose promise is rejected', ({ events }) => events.subscribe(async () => disk())],
    ['an observer', ({ events }) => events.subscribe({ next: disk })],
    ['one behind an operator', ({ events }) => events.pipe(filter(() => true)).subscribe(disk)],
    ['an operator', ({ events }) => events.pipe(map(disk)).subscribe()],
    ['one of another client by `with`', (c) => c.with({ check: false }).events.subscribe(disk)],
  ])('ends no call, and is reported once: %s', async (_, subscribe) => {
    const { client, retrieve } = call()
    subscribe(client)
    const seen: Array<string> = []
    client.events.subscribe(({ _tag }) => seen.push(_tag))
    expect(retrieve().map(({ value }) => E.isRight(value))).toEqual([true])
    await later()
    expect(seen.at(-1)).toBe('Ended')
    expect(told).toEqual([expect.stringContaining('a subscriber of events failed')])
  })

  it('gets the events that follow, and keeps its observer as `this`', () => {
    const { client, retrieve } = call()
    const observer = {
      seen: 0,
      next() {
        this.seen++
        disk()
      },
    }
    client.events.subscribe(observer)
    retrieve()
    expect(observer.seen).toBeGreaterThan(3)
  })
})

describe('a fetch that fails', () => {
  it.each<readonly [string, () => unknown]>([
    ['throws', disk],
    [
      'throws what is no error',
      () => {
        throw 'x'
      },
    ],
    ['gives nothing', () => undefined],
    ['gives what is no response', async () => ({})],
  ])('is a failure of the call: one that %s', async (_, fetch) => {
    const { createClient, unwrap } = await import('../../src/index.js')
    const client = createClient({
      ...{ baseUrl: 'https://platform.test', credentials: ME, log: false, retry: { faults: 0 } },
      fetch: fetch as typeof globalThis.fetch,
    })
    await expect(unwrap(client.charges.retrieve({ id: 'chg_1' }))).rejects.toMatchObject({
      failure: { _tag: expect.stringMatching(/^(Unreachable|Undecodable|ServerFault)$/) },
    })
  })
})
