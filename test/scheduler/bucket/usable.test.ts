import { describe, expect, it, vi } from 'vitest'
import { places } from '../../../src/scheduler/bucket/Places.js'
import { usable } from '../../../src/scheduler/bucket/usable.js'
import { flow } from '../../../src/scheduler/Flow.js'
import { park } from '../../../src/scheduler/park/Park.js'
import { join, type Strand, strand } from '../../../src/scheduler/Strand.js'

/** So many wait in it. */
const queue = (of: Strand, length: number): Strand => {
  for (let i = 0; i < length; i++) {
    const ticket = {
      strand: of,
      start: () => {},
      waiting: false,
      before: undefined,
      after: undefined,
    }
    join(ticket, false)
  }
  return of
}

const limit = (most: number) => places({ limit: most, counts: { refused: 0 } })

describe('those who can use a place', () => {
  it('are counted in all lanes, and once', () => {
    const here = flow([limit(10)], [], 2)
    const [first, second] = [queue(strand(here, 0), 3), queue(strand(here, 1), 4)]
    const waiting = park<Strand>([1, 1], 10_000)
    waiting.add(first)
    waiting.add(second)
    const count = (most: number, usual = 0) =>
      usable({ strand: first, usual, park: waiting, most, now: 0 })
    expect([count(100), count(5), count(100, 5), count(100, 50)]).toEqual([7, 5, 9, 10])
  })

  it('are one at least, also when nobody else waits', () => {
    const alone = queue(strand(flow([], [], 1), 0), 1)
    expect(usable({ strand: alone, usual: 0, park: undefined, most: 20, now: 0 })).toBe(1)
  })

  it('are not all looked at when a hundred thousand queues wait', () => {
    const shared = limit(100_000)
    const looked = vi.spyOn(shared, 'room')
    const waiting = park<Strand>([1], 10_000)
    for (let i = 0; i < 100_000; i++)
      waiting.add(queue(strand(flow([limit(2), shared], [], 1), 0), 1))
    const first = queue(strand(flow([shared], [], 1), 0), 1)
    const most = 100_000
    expect(usable({ strand: first, usual: 0, park: waiting, most, now: 0 })).toBe(257)
    expect(looked.mock.calls.length).toBeLessThan(1_000)
  })
})
