import { sequenceS } from 'fp-ts/lib/Apply.js'
import { traverse } from 'fp-ts/lib/Array.js'
import { filterOrElse as filterOrElseOf } from 'fp-ts/lib/FromEither.js'
import { lastValueFrom, type Observable, of, Subject, throwError, toArray } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { E, O, pipe } from '../../../src/fp.js'
import * as OE from '../../../src/stream/either/index.js'
import { until } from '../../../src/stream/index.js'
import { marbleTest } from '../../support/marbles.js'

type Ea = E.Either<string, number>
type Stream = OE.ObservableEither<string, number>

const values: Readonly<Record<string, Ea>> = {
  a: E.right(1),
  b: E.right(2),
  c: E.right(3),
  L: E.left('bad'),
  M: E.left('BAD'),
}
const bug = new Error('bug')
const add = (b: number, a: number) => b + a

describe.each<{
  readonly name: string
  readonly operator: (source: Stream) => Observable<unknown>
  readonly out: string
}>([
  { name: 'map', operator: OE.map((n: number) => n + 1), out: '                 --b--L--c|' },
  {
    name: 'bimap',
    operator: OE.bimap((e: string) => e.toUpperCase(), add.bind(null, 1)),
    out: '--b--M--c|',
  },
  { name: 'flatMap', operator: OE.flatMap((n: number) => OE.right(n + 1)), out: '--b--L--c|' },
  { name: 'chain', operator: OE.chain((n: number) => OE.of(n + 1)), out: '       --b--L--c|' },
  { name: 'alt', operator: OE.alt(() => OE.right(3)), out: '                     --a--c--b|' },
  { name: 'filter', operator: OE.filter((n: number) => n > 1), out: '            -----L--b|' },
  {
    name: 'filterOrElse',
    operator: OE.filterOrElse(
      (n: number) => n > 1,
      () => 'BAD',
    ),
    out: '--M--L--b|',
  },
  { name: 'scan', operator: OE.scan(0, add), out: '                              --a--L--c|' },
  { name: 'tap', operator: OE.tap((n: number) => OE.right(`${n}`)), out: '       --a--L--b|' },
  {
    name: 'tap, of a step that fails',
    operator: OE.tap((n: number) => (n === 1 ? OE.left('BAD') : OE.right(n))),
    out: '--M--L--b|',
  },
  {
    name: 'tapError',
    operator: OE.tapError((e: string) => OE.right(e.length)),
    out: '--a--L--b|',
  },
  {
    name: 'tapError, of a step that fails',
    operator: OE.tapError((e: string) => OE.left(e.toUpperCase())),
    out: '--a--M--b|',
  },
  { name: 'tapIO', operator: OE.tapIO((n: number) => () => n * 10), out: '       --a--L--b|' },
  { name: 'mapLeft', operator: OE.mapLeft((e: string) => e.toUpperCase()), out: '--a--M--b|' },
  {
    name: 'mergeChain',
    operator: OE.mergeChain((n: number) => OE.right(n + 1)),
    out: '--b--L--c|',
  },
  { name: 'orElse', operator: OE.orElse(() => OE.right(3)), out: '               --a--c--b|' },
  { name: 'until', operator: until(new AbortController().signal), out: '         --a--L--b|' },
])('$name', ({ operator, out }) => {
  marbleTest('works on its own side, and passes the other on', (m) => {
    const source = m.cold<Ea>('--a--L--b|', values)
    m.expectObservable(operator(source)).toBe(out.trim(), values)
    m.expectSubscriptions(source.subscriptions).toBe('^--------!')
  })

  marbleTest('meets never, empty and failure as they are', (m) => {
    m.expectObservable(operator(m.cold('-'))).toBe('-')
    m.expectObservable(operator(m.cold('|'))).toBe('|')
    m.expectObservable(operator(m.cold<Ea>('--#', values, bug))).toBe('--#', values, bug)
  })

  marbleTest('leaves its source when it is left', (m) => {
    const source = m.cold<Ea>('--a--b--|', values)
    m.expectObservable(operator(source), '^---!')
    m.expectSubscriptions(source.subscriptions).toBe('^---!')
  })
})

describe('match, matchE and getOrElse', () => {
  marbleTest('leave plain values', (m) => {
    const source = m.cold<Ea>('--a--L--b|', values)
    const plain = { a: 'one 1', b: 'one 2', L: 'no bad' }
    const no = (e: string) => `no ${e}`
    const one = (n: number) => `one ${n}`
    m.expectObservable(source.pipe(OE.match(no, one))).toBe('--a--L--b|', plain)
    const matched = source.pipe(
      OE.matchE(
        (e) => of(no(e)),
        (n) => of(one(n)),
      ),
    )
    m.expectObservable(matched).toBe('--a--L--b|', plain)
    const numbers = source.pipe(OE.getOrElse((e) => of(e.length)))
    m.expectObservable(numbers).toBe('--a--L--b|', { a: 1, L: 3, b: 2 })
  })
})

describe('reduce', () => {
  marbleTest('emits the result at the end, or the first failure, and leaves the source', (m) => {
    m.expectObservable(m.cold<Ea>('-a-b|', values).pipe(OE.reduce(0, add))).toBe('----(c|)', values)
    m.expectObservable(m.cold<Ea>('|', values).pipe(OE.reduce(3, add))).toBe('(c|)', values)
    const failing = m.cold<Ea>('-a-L-b|', values)
    m.expectObservable(failing.pipe(OE.reduce(0, add))).toBe('---(L|)', values)
    m.expectSubscriptions(failing.subscriptions).toBe('^--!')
  })

  it('begins anew at each subscription, as `scan` does', async () => {
    const source = of(E.right(1), E.right(2))
    for (const sum of [source.pipe(OE.reduce(0, add)), source.pipe(OE.scan(0, add))]) {
      await lastValueFrom(sum)
      expect(await lastValueFrom(sum)).toEqual(E.right(3))
    }
  })
})

describe('ap and apS', () => {
  marbleTest('subscribe to both at once, and end with both', (m) => {
    const first = m.cold<Ea>(' ---a|     ', values)
    const second = m.cold<Ea>('-b---|    ', values)
    const both = OE.Do.pipe(OE.apS('one', first), OE.apS('two', second))
    m.expectObservable(both).toBe('---s-|    ', { s: E.right({ one: 1, two: 2 }) })
    m.expectSubscriptions(first.subscriptions).toBe(' ^---!')
    m.expectSubscriptions(second.subscriptions).toBe('^----!')
  })

  marbleTest('apply functions to all values, in order', (m) => {
    const first = m.cold<Ea>(' ---a|     ', values)
    const second = m.cold<Ea>('-b---|    ', values)
    const sum = first.pipe(
      OE.map((x) => (y: number) => x + y),
      OE.ap(second),
    )
    m.expectObservable(sum).toBe('---c-|    ', values)
  })

  marbleTest('pass on the first failure, and bugs of both', (m) => {
    const second = m.cold<Ea>('-b---|', values)
    const failing = m.cold<Ea>('--L|', values)
    m.expectObservable(failing.pipe(OE.bindTo('one'), OE.apS('two', second))).toBe('--L--|', values)
    m.expectObservable(OE.Do.pipe(OE.apS('one', second), OE.apS('two', failing))).toBe(
      '--L--|',
      values,
    )
    const broken = m.cold<Ea>('-#', values, bug)
    m.expectObservable(OE.left('bad').pipe(OE.bindTo('one'), OE.apS('two', broken))).toBe(
      'L#',
      values,
      bug,
    )
  })

  it('leave both when they are left', () => {
    const first = new Subject<Ea>()
    const second = new Subject<Ea>()
    const run = first.pipe(OE.bindTo('one'), OE.apS('two', second)).subscribe()
    expect([first.observed, second.observed]).toEqual([true, true])
    run.unsubscribe()
    expect([first.observed, second.observed]).toEqual([false, false])
  })
})

describe('Do', () => {
  it('adds fields, one after the other', async () => {
    const run = OE.Do.pipe(
      OE.bind('charge', () => OE.right({ id: 'chg_1', account: 'acc_1' })),
      OE.bind('account', ({ charge }) => OE.right({ id: charge.account })),
      OE.apS('currency', OE.right('USD')),
      OE.let('text', ({ account, currency }) => `${account.id} ${currency}`),
      OE.map(({ text }) => text),
    )
    expect(await lastValueFrom(run)).toEqual(E.right('acc_1 USD'))
  })

  it('runs no step after a failure', async () => {
    const run = OE.Do.pipe(
      OE.bind('charge', () => OE.left('no charge')),
      OE.bind('account', (): Stream => throwError(() => bug)),
    )
    expect(await lastValueFrom(run)).toEqual(E.left('no charge'))
  })
})

describe('conversions', () => {
  const all = (source: Observable<unknown>) => lastValueFrom(source.pipe(toArray()))

  it('emit what they are made of', async () => {
    const fromOption = OE.fromOption(() => 'none')
    expect(await all(OE.fromEither(E.left('bad')))).toEqual([E.left('bad')])
    expect(await all(fromOption(O.some(1)))).toEqual([E.right(1)])
    expect(await all(fromOption(O.none))).toEqual([E.left('none')])
    expect(await all(OE.fromIO(() => 1))).toEqual([E.right(1)])
    expect(await all(OE.fromTask(async () => 1))).toEqual([E.right(1)])
    expect(await all(OE.fromTaskEither(async () => E.left('bad')))).toEqual([E.left('bad')])
    expect(await all(OE.fromObservable(of(1, 2)))).toEqual([E.right(1), E.right(2)])
  })

  it('run at each subscription, and have errors for bugs', async () => {
    let runs = 0
    const io = () => ++runs
    const sources = [
      OE.fromIO(io),
      OE.fromTask(async () => io()),
      OE.fromTaskEither(async () => E.right(io())),
    ]
    expect(runs).toBe(0)
    for (const source of sources) {
      await all(source)
      await all(source)
    }
    expect(runs).toBe(6)
    const broken = [
      OE.fromIO(() => {
        throw bug
      }),
      OE.fromTask(() => Promise.reject(bug)),
      OE.fromObservable(throwError(() => bug)),
    ]
    for (const source of broken) await expect(all(source)).rejects.toBe(bug)
  })
})

describe('instances', () => {
  it('work with the functions of fp-ts', async () => {
    const each = pipe(
      [1, 2, 3],
      traverse(OE.ApplicativePar)((n): Stream => OE.right(n * 2)),
    )
    expect(await lastValueFrom(each)).toEqual(E.right([2, 4, 6]))
    const fields = sequenceS(OE.ApplyPar)({
      a: OE.right(1),
      b: OE.fromEither<string, string>(E.left('bad')),
    })
    expect(await lastValueFrom(fields)).toEqual(E.left('bad'))
    const positive = filterOrElseOf(OE.FromEither, OE.Chain)(
      (n: number) => n > 0,
      () => 'negative',
    )
    expect(await lastValueFrom(positive(OE.right(-1)))).toEqual(E.left('negative'))
    expect(await lastValueFrom(OE.MonadTask.fromTask(async () => 1))).toEqual(E.right(1))
    expect(await lastValueFrom(OE.MonadIO.fromIO(() => 1))).toEqual(E.right(1))
  })

  marbleTest('say whether streams run at once or one after the other', (m) => {
    const call = m.cold<Ea>('--a|', values)
    const pair = { p: E.right([1, 1]) }
    const two = [call, call]
    const par = pipe(
      two,
      traverse(OE.ApplicativePar)((one) => one),
    )
    const seq = pipe(
      two,
      traverse(OE.ApplicativeSeq)((one) => one),
    )
    m.expectObservable(par).toBe('--p|', pair)
    m.expectObservable(seq).toBe('----p|', pair)
  })
})

describe('types', () => {
  type One = OE.ObservableEither<'one', number>
  const source: One = OE.right(1)

  it('add up failures, as those of fp-ts that end in W', () => {
    expectTypeOf(
      source.pipe(
        OE.filterOrElse(
          (n) => n > 0,
          () => 'two' as const,
        ),
      ),
    ).toEqualTypeOf<OE.ObservableEither<'one' | 'two', number>>()
    expectTypeOf(
      source.pipe(OE.tap((n) => OE.left(n > 0 ? ('two' as const) : ('three' as const)))),
    ).toEqualTypeOf<OE.ObservableEither<'one' | 'two' | 'three', number>>()
    expectTypeOf(source.pipe(OE.tapError(() => OE.left('two' as const)))).toEqualTypeOf<
      OE.ObservableEither<'one' | 'two', number>
    >()
    expectTypeOf(source.pipe(OE.alt(() => OE.right('text')))).toEqualTypeOf<
      OE.ObservableEither<never, number | string>
    >()
    expectTypeOf(source.pipe(OE.getOrElse(() => of('text')))).toEqualTypeOf<
      Observable<number | string>
    >()
    expectTypeOf(source.pipe(OE.match((e) => e.length, String))).toEqualTypeOf<
      Observable<number | string>
    >()
    expectTypeOf(
      pipe(
        source,
        OE.reduce('', (text, n) => text + n),
      ),
    ).toEqualTypeOf<OE.ObservableEither<'one', string>>()
    expectTypeOf(
      pipe(
        source,
        OE.bimap((e) => [e], String),
      ),
    ).toEqualTypeOf<OE.ObservableEither<Array<'one'>, string>>()
  })

  it('narrow by a refinement', () => {
    const either: OE.ObservableEither<'one', number | string> = OE.right(1)
    const isText = (value: number | string): value is string => typeof value === 'string'
    expectTypeOf(either.pipe(OE.filter(isText))).toEqualTypeOf<OE.ObservableEither<'one', string>>()
    expectTypeOf(either.pipe(OE.filterOrElse(isText, (value) => value))).toEqualTypeOf<
      OE.ObservableEither<string | number, string>
    >()
  })

  it('have the fields of `Do`, each once', () => {
    const run = OE.Do.pipe(
      OE.bind('a', () => source),
      OE.apS('b', OE.fromEither<'two', string>(E.right('text'))),
      OE.let('c', ({ a, b }) => [a, b] as const),
    )
    expectTypeOf(run).toEqualTypeOf<
      OE.ObservableEither<
        'one' | 'two',
        { readonly a: number; readonly b: string; readonly c: readonly [number, string] }
      >
    >()
    // @ts-expect-error a field that is there already
    OE.Do.pipe(OE.bind('a', () => source)).pipe(OE.bind('a', () => source))
  })

  it('are known to the type classes of fp-ts', () => {
    const lifted = traverse(OE.ApplicativePar)((n: number): One => OE.right(n))
    expectTypeOf(lifted).returns.toEqualTypeOf<OE.ObservableEither<'one', Array<number>>>()
    expectTypeOf(
      OE.fromTaskEither(async (): Promise<E.Either<'one', number>> => E.right(1)),
    ).toEqualTypeOf<One>()
    expectTypeOf(OE.fromObservable(of(1))).toEqualTypeOf<OE.ObservableEither<never, number>>()
    // @ts-expect-error an effect is a step or, with `tapIO`, an IO
    source.pipe(OE.tap((n) => void n))
  })
})
