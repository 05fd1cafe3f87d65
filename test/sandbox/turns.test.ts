/** A sandbox in process leaves turns of the event loop to others, however fast it is asked. */
import {
  asapScheduler,
  asyncScheduler,
  firstValueFrom,
  fromEvent,
  lastValueFrom,
  queueScheduler,
  repeat,
  takeUntil,
  toArray,
} from 'rxjs'
import { expect, it, vi } from 'vitest'
import { createSandbox, type SandboxOptions } from '../../src/sandbox/index.js'
import { sandboxClient } from '../support/sandboxClient.js'

const open = (options: SandboxOptions = {}) => {
  const sandbox = createSandbox({ charges: 10, limits: false, ...options })
  return sandboxClient(sandbox.fetch, { limits: { endpoint: 1e9, global: 1e9 } })
}

it.each<[string, SandboxOptions]>([
  ['the default', {}],
  ['asyncScheduler', { timer: asyncScheduler }],
  ['asapScheduler', { timer: asapScheduler }],
  ['queueScheduler', { timer: queueScheduler }],
])('timers come due while calls follow one another: %s', async (_, options) => {
  const { charges } = open(options)
  await firstValueFrom(charges.list())
  const calls = charges.list({ page_size: 10 }).pipe(repeat(3_000))
  const due = new EventTarget()
  setTimeout(() => due.dispatchEvent(new Event('due')), 1)
  const rows = calls.pipe(takeUntil(fromEvent(due, 'due')), toArray())
  expect((await lastValueFrom(rows)).length).toBeLessThan(30_000)
})

it('it answers also while a test plays all timers', async () => {
  const { charges } = open()
  vi.useFakeTimers()
  try {
    expect(await firstValueFrom(charges.list())).toMatchObject({ _tag: 'Right' })
  } finally {
    vi.useRealTimers()
  }
})

it('timers that a test plays are a time for it and its client', async () => {
  vi.useFakeTimers()
  try {
    const sandbox = createSandbox({
      charges: 1_000,
      latency: 150,
      faults: ({ route, nth }) =>
        route === 'GET /api/v1/charges' && nth === 2 ? 'no-answer' : undefined,
    })
    const { charges } = sandboxClient(sandbox.fetch, { random: () => 0 })
    const rows = lastValueFrom(charges.list({ page_size: 500 }).pipe(toArray()))
    let took = 0
    const began = Date.now()
    rows.then(() => {
      took = Date.now() - began
    })
    await vi.advanceTimersByTimeAsync(120_000)
    expect((await rows).length).toBe(1_000)
    // a login, two pages, an answer that never came and the pause after it; at once is 1 ms for these timers
    expect(took - (3 * 150 + 60_000 + 1_000)).toBeLessThan(10)
    expect(took).toBeGreaterThanOrEqual(3 * 150 + 60_000 + 1_000)
  } finally {
    vi.useRealTimers()
  }
})

it('a latency is kept that no timer of the platform can wait for', async () => {
  vi.useFakeTimers()
  try {
    const latency = 60 * 24 * 3_600_000 // half of it is more than 2^31 ms
    const began = Date.now()
    const sandbox = createSandbox({ charges: 0, latency })
    const answered = sandbox.fetch('https://sandbox/api/v1/charges').then(() => Date.now() - began)
    await vi.advanceTimersByTimeAsync(latency + 1_000)
    const took = await answered
    expect(took).toBeGreaterThanOrEqual(latency)
    expect(took - latency).toBeLessThan(10)
  } finally {
    vi.useRealTimers()
  }
})
