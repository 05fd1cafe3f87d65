import { NEVER, type Observable, of, Subject, share } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { toAll } from '../../src/stream/toAll.js'
import { marbles } from '../support/marbles.js'

const shared = <A>(source: Observable<A>) => source.pipe(share({ connector: () => toAll<A>() }))

describe('toAll', () => {
  it(
    'tells all who wait the last value, when its source ends',
    marbles((m) => {
      const source = m.cold('           -a-b--|')
      const out = shared(source)
      m.expectObservable(out).toBe('    ------(b|)')
      m.expectObservable(out, '---^').toBe('------(b|)')
      m.expectSubscriptions(source.subscriptions).toBe('^-----!')
    }),
  )

  it(
    'tells nothing before, not even of a source that never ends, and ends with one that is empty',
    marbles((m) => {
      m.expectObservable(shared(m.cold('-a')), '^----!').toBe('------')
      m.expectObservable(shared(NEVER), '^----!').toBe('------')
      m.expectObservable(shared(m.cold('--|'))).toBe('--|')
    }),
  )

  it(
    'tells all of a bug, and no value',
    marbles((m) => {
      const out = shared(m.cold('-a-#'))
      m.expectObservable(out).toBe('  ---#')
      m.expectObservable(out, '-^').toBe('---#')
    }),
  )

  it(
    'tells those nothing who have left, also when another one has them leave as it is told',
    marbles((m) => {
      const out = shared(m.cold('---a|'))
      m.expectObservable(out, '^-!').toBe('---')
      m.expectObservable(out, '-^').toBe('----(a|)')
      const told: Array<string> = []
      m.flush()
      const source = new Subject<string>()
      const one = shared(source)
      one.subscribe(() => second.unsubscribe())
      const second = one.subscribe((value) => told.push(value))
      one.subscribe((value) => told.push(`third: ${value}`))
      source.next('a')
      source.complete()
      expect(told).toEqual(['third: a'])
    }),
  )

  it('tells each of many, in their order', () => {
    const source = new Subject<string>()
    const out = shared(source)
    const told: Array<number> = []
    const many = 1_000
    for (let n = 0; n < many; n++) out.subscribe(() => told.push(n))
    source.next('a')
    source.complete()
    expect(told).toEqual(Array.from({ length: many }, (_, n) => n))
  })

  it('tells at once where its source does', () => {
    const told: Array<string> = []
    shared(of('a', 'b')).subscribe((value) => told.push(value))
    expect(told).toEqual(['b'])
  })
})
