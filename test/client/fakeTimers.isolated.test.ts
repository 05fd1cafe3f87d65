/** Clients whose timers are replaced by a test, and clocks that stand still or tick coarsely meanwhile. */
import { mock } from 'node:test'
import { merge, of } from 'rxjs'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { busiestWindow } from '../../bench/simulated/refusing.js'
import { createSandbox } from '../../src/sandbox/index.js'
import { createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import { sandboxClient } from '../support/sandboxClient.js'

// `mock.timers` of node:test replaces no `performance`; a turn is one of the real event loop
const turn = setImmediate
const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((resolve) => turn(resolve))
}

const performanceNow = performance.now

afterEach(() => {
  mock.timers.reset()
  vi.useRealTimers()
  performance.now = performanceNow
})

/** Calls of a client to its sandbox, 45 at once, and how many were answered. */
const callsOf = () => {
  const sandbox = createSandbox({ charges: 10 })
  const { charges } = sandboxClient(sandbox.fetch)
  const log = { answers: 0 }
  merge(...Array.from({ length: 45 }, () => charges.retrieve({ id: 'chg_0' }))).subscribe(
    () => log.answers++,
  )
  return { log, sandbox }
}

describe('a client under fake timers', () => {
  it.each([
    [['setTimeout', 'setInterval', 'Date'] as const],
    [['setTimeout', 'setInterval'] as const],
  ])('from node:test makes all of its calls: %j', async (apis) => {
    mock.timers.enable({ apis: [...apis] })
    const { log, sandbox } = callsOf()
    for (let i = 0; i < 100; i++) {
      mock.timers.tick(100)
      await turns(3)
    }
    expect(log.answers).toBe(45)
    expect(sandbox.stats().refused).toMatchObject({ endpoint: 0, global: 0 })
  })

  it('from Vitest without `performance` makes all of its calls', async () => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'],
    })
    const { log, sandbox } = callsOf()
    for (let i = 0; i < 100; i++) {
      await vi.advanceTimersByTimeAsync(100)
      await turns(3)
    }
    expect(log.answers).toBe(45)
    expect(sandbox.stats().refused).toMatchObject({ endpoint: 0, global: 0 })
  })
})

describe('limits under a clock that', () => {
  /** Fake time with this clock; 300 requests at 20 per second. Returns the true times at which they left. */
  const sentUnder = (clock: (now: number) => number): ReadonlyArray<number> => {
    vi.useFakeTimers({
      toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    })
    const fake = performance.now.bind(performance)
    performance.now = () => clock(fake())
    const tiers = [rate<void>({ name: 'all', limit: 20, per: 1_000 })]
    const scheduler = createScheduler({ tiers, guard: 0 })
    const sent: Array<number> = []
    for (let i = 0; i < 300; i++) {
      of(i)
        .pipe(schedule(scheduler, undefined))
        .subscribe(() => sent.push(fake()))
    }
    for (let i = 0; i < 4_000; i++) vi.advanceTimersByTime(7)
    return sent
  }

  it.each<[string, (now: number) => number]>([
    ['is exact', (now) => now],
    ['ticks each 17 ms', (now) => Math.floor(now / 17) * 17],
    ['ticks each 100 ms', (now) => Math.floor(now / 100) * 100],
    ['stands still', () => 0],
    ['stood still for 10 s, as while a machine sleeps', (now) => Math.max(0, now - 10_000)],
    ['stands still from the fifth second on', (now) => Math.min(now, 5_000)],
  ])('%s are kept, and used up', (_, clock) => {
    const sent = sentUnder(clock)
    expect(sent).toHaveLength(300)
    expect(busiestWindow(sent, 1_000)).toBeLessThanOrEqual(20)
    expect((sent.at(-1) ?? 0) - (sent[0] ?? 0)).toBeLessThanOrEqual(14 * 1_120)
  })
})
