import { defer, EMPTY, of } from 'rxjs'
import { describe, expect, it, vi } from 'vitest'
import { virtualTimer } from '../../bench/scheduler/timer.ts'
import { E, O } from '../../src/fp.js'
import { retry } from '../../src/stream/index.js'
import { marbles } from '../support/marbles.js'

const values = { L: E.left('bad'), M: E.left('worse'), R: E.right(1), S: E.right(2) }
const bug = new Error('bug')
const always = () => O.some(3)

describe('retry', () => {
  it(
    'subscribes again after the pause',
    marbles((m) => {
      const first = m.cold(' --L|      ', values)
      const firstSub = '     ^--!      '
      const second = m.cold('     --R| ', values)
      const secondSub = '    -----^--! '
      const expected = '     -------R| '
      const tries = [first, second]
      const source = defer(() => tries.shift() ?? EMPTY)

      m.expectObservable(source.pipe(retry(always))).toBe(expected, values)
      m.expectSubscriptions(first.subscriptions).toBe([firstSub])
      m.expectSubscriptions(second.subscriptions).toBe(secondSub)
    }),
  )

  it(
    'asks for a pause by failure and by attempt, and passes the last failure on',
    marbles((m) => {
      const asked: Array<readonly [string, number]> = []
      const source = m.cold('-L|', values)
      const run = source.pipe(
        retry((failure: string, attempt) => {
          asked.push([failure, attempt])
          return attempt < 3 ? O.some(2) : O.none
        }),
      )
      m.expectObservable(run).toBe('-------L|', values)
      m.expectSubscriptions(source.subscriptions).toBe(['^-!', '---^-!', '------^-!'])
      m.flush()
      expect(asked).toEqual([
        ['bad', 1],
        ['bad', 2],
        ['bad', 3],
      ])
    }),
  )

  it('waits on the timer that it is given, for longer than one of the platform can', () => {
    const timer = virtualTimer()
    const schedule = vi.spyOn(timer, 'schedule')
    const pause = 30 * 86_400_000
    const tries = [values.L, values.R]
    const source = defer(() => of(tries.shift() ?? values.S))
    const came: Array<readonly [number, E.Either<string, number>]> = []
    source
      .pipe(retry(() => O.some(pause), timer))
      .subscribe((value) => came.push([timer.now(), value]))
    timer.flush(2 * pause)
    expect(came).toEqual([[pause, values.R]])
    expect(Math.max(...schedule.mock.calls.map(([, delay]) => delay ?? 0))).toBeLessThan(2 ** 31)
  })

  it(
    'passes a failure without a pause on',
    marbles((m) => {
      const source = m.cold('-M|', values)
      m.expectObservable(source.pipe(retry((e) => (e === 'bad' ? O.some(3) : O.none)))).toBe(
        '-M|',
        values,
      )
      m.expectSubscriptions(source.subscriptions).toBe('^-!')
    }),
  )

  it(
    'meets never, empty, many and failure as they are',
    marbles((m) => {
      m.expectObservable(m.cold<E.Either<string, number>>('-').pipe(retry(always))).toBe('-')
      m.expectObservable(m.cold<E.Either<string, number>>('|').pipe(retry(always))).toBe('|')
      m.expectObservable(m.cold('R-S|', values).pipe(retry(always))).toBe('R-S|', values)
      m.expectObservable(m.cold('-#', values, bug).pipe(retry(always))).toBe('-#', values, bug)
    }),
  )

  it(
    'gives up the attempt, and the pause, when it is left',
    marbles((m) => {
      const source = m.cold('                    --L|', values)
      m.expectObservable(source.pipe(retry(always)), '^------!')
      m.expectObservable(source.pipe(retry(always)), '^---!')
      m.expectSubscriptions(source.subscriptions).toBe(['^--!', '^--!', '-----^-!'])
    }),
  )
})
