import { NEVER, type Observable, of, Subject, share } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { toAll } from '../../src/stream/toAll.js'
import { marbleTest } from '../support/marbles.js'

const shared = <A>(source: Observable<A>) => source.pipe(share({ connector: () => toAll<A>() }))

describe('toAll', () => {
  marbleTest('tells all who wait the last value, when its source ends', (m) => {
    const source = m.cold('           -a-b--|')
    const out = shared(source)
    m.expectObservable(out).toBe('    ------(b|)')
    m.expectObservable(out, '---^').toBe('------(b|)')
    m.expectSubscriptions(source.subscriptions).toBe('^-----!')
  })

  marbleTest(
    'tells nothing before, not even of a source that never ends, and ends with one that is empty',
    (m) => {
      m.expectObservable(shared(m.cold('-a')), '^----!').toBe('------')
      m.expectObservable(shared(NEVER), '^----!').toBe('------')
      m.expectObservable(shared(m.cold('--|'))).toBe('--|')
    },
  )

  marbleTest('tells all of a bug, and no value', (m) => {
    const out = shared(m.cold('-a-#'))
    m.expectObservable(out).toBe('  ---#')
    m.expectObservable(out, '-^').toBe('---#')
  })

  marbleTest(
    'tells those nothing who have left, also when another one has them leave as it is told',
    (m) => {
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
    },
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
