import { range } from 'rxjs'
import { map, mergeMap } from 'rxjs/operators'
import { describe, it } from 'vitest'
import { concurrency, createScheduler, rate, schedule } from '../../src/scheduler/index.js'
import { marbles } from '../support/marbles.js'

describe('schedule', () => {
  it(
    'starts no more at once than there are places',
    marbles((m) => {
      const scheduler = createScheduler({ tiers: [concurrency({ name: 'places', limit: 2 })] })
      const source = m.cold('      -----a|')
      const expected = '           -----(aa)--a|'
      const run = range(0, 3).pipe(mergeMap(() => source.pipe(schedule(scheduler, undefined))))

      m.expectObservable(run).toBe(expected)
      m.expectSubscriptions(source.subscriptions).toBe([
        '                          ^-----!',
        '                          ^-----!',
        '                          ------^-----!',
      ])
    }),
  )

  it(
    'starts no more in a window than the limit',
    marbles((m) => {
      const scheduler = createScheduler({
        tiers: [rate({ name: 'all', limit: 2, per: 10 })],
        guard: 'safe',
      })
      const run = range(0, 3).pipe(
        mergeMap((i) =>
          m.cold('-a|').pipe(
            map(() => `${i}`),
            schedule(scheduler, undefined),
          ),
        ),
      )
      m.expectObservable(run).toBe('-(01) 8ms 2|')
    }),
  )
})
