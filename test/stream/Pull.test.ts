import { Observable, of, range, take, tap, throwError } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { consume, observe, type Pull } from '../../src/stream/Pull.js'
import { marbleTest } from '../support/marbles.js'
import { pullOf } from '../support/pulls.js'
import { seenOf } from '../support/seen.js'

const bug = new Error('bug')

it('stays flat when 10,000 values come at once', () => {
  let left = 10_000
  const pull: Pull<number> = {
    next: new Observable((subscriber) => {
      if (left > 0) subscriber.next(left--)
      subscriber.complete()
    }),
    close: () => {},
  }
  expect(seenOf(observe(() => pull))).toHaveLength(10_000 + 1)
})

describe('consume', () => {
  it('stops work that comes at once when it is left', () => {
    const { pull, counts } = pullOf(of(0), of(5), of(10))
    const done: Array<number> = []
    const seen: Array<number> = []
    consume((from: number) => range(from, 5).pipe(tap((n) => done.push(n))))(() => pull)
      .pipe(take(7))
      .subscribe((n) => seen.push(n))
    expect(done).toEqual([0, 1, 2, 3, 4, 5, 6])
    expect(seen).toEqual(done)
    expect(counts).toMatchObject({ asked: 2, closed: 1 })
  })

  it('stops work without an end that comes at once', () => {
    const { pull } = pullOf(of(0))
    let done = 0
    const endless = new Observable<number>((subscriber) => {
      while (!subscriber.closed && done < 1_000) subscriber.next(done++)
    })
    consume(() => endless)(() => pull)
      .pipe(take(3))
      .subscribe()
    expect(done).toBe(3)
  })

  marbleTest('breaks with the work, and closes the source', (m) => {
    const { pull, counts } = pullOf(m.cold('-a|'), m.cold('-b|'))
    m.expectObservable(consume(() => throwError(() => bug))(() => pull)).toBe('-#', {}, bug)
    m.expectObservable(
      consume(() => {
        throw bug
      })(() => pullOf(m.cold('-a|')).pull),
    ).toBe('-#', {}, bug)
    m.flush()
    expect(counts).toEqual({ asked: 1, closed: 1, aborted: 1 })
  })
})
