import { type Observable, of, throwError } from 'rxjs'
import { describe, expectTypeOf, it } from 'vitest'
import { E } from '../../src/fp.js'
import {
  concatChain,
  left,
  lefts,
  mapLeft,
  mapRight,
  mergeChain,
  type ObservableEither,
  orThrow,
  right,
  rights,
} from '../../src/stream/index.js'
import { marbles } from '../support/marbles.js'

type Ea = E.Either<string, number>
type Stream = ObservableEither<string, number>

const values: Readonly<Record<string, Ea>> = {
  a: E.right(1),
  b: E.right(2),
  c: E.right(3),
  L: E.left('bad'),
  A: E.right(10),
  B: E.right(20),
  C: E.right(30),
  M: E.left('BAD'),
}
const bug = new Error('bug')

describe('left and right', () => {
  it(
    'emit one value at once',
    marbles((m) => {
      m.expectObservable(left('bad')).toBe('(L|)', values)
      m.expectObservable(right(1)).toBe('(a|)', values)
    }),
  )
})

describe.each<{
  readonly name: string
  readonly operator: (source: Stream) => Observable<unknown>
  readonly out: string
}>([
  { name: 'mapRight', operator: mapRight((n: number) => n * 10), out: '--A--L--B|' },
  { name: 'mapLeft', operator: mapLeft((e: string) => e.toUpperCase()), out: '--a--M--b|' },
  {
    name: 'concatChain',
    operator: concatChain((n: number) => right(n * 10)),
    out: '              --A--L--B|',
  },
  { name: 'mergeChain', operator: mergeChain((n: number) => right(n * 10)), out: '--A--L--B|' },
])('$name', ({ operator, out }) => {
  it(
    'works on its own side, and passes the other on',
    marbles((m) => {
      const source = m.cold<Ea>('--a--L--b|', values)
      m.expectObservable(operator(source)).toBe(out.trim(), values)
      m.expectSubscriptions(source.subscriptions).toBe('^--------!')
    }),
  )

  it(
    'meets never, empty and failure as they are',
    marbles((m) => {
      m.expectObservable(operator(m.cold('-'))).toBe('-')
      m.expectObservable(operator(m.cold('|'))).toBe('|')
      m.expectObservable(operator(m.cold<Ea>('--#', values, bug))).toBe('--#', values, bug)
    }),
  )

  it(
    'leaves its source when it is left',
    marbles((m) => {
      const source = m.cold<Ea>('--a--b--|', values)
      m.expectObservable(operator(source), '^---!')
      m.expectSubscriptions(source.subscriptions).toBe('^---!')
    }),
  )
})

describe('concatChain', () => {
  it(
    'takes one step after the other, in order',
    marbles((m) => {
      const source = m.cold<Ea>('  ab|        ', values)
      const first = m.cold<Ea>('   ----A|     ', values)
      const firstSub = '       ^----!     '
      const second = m.cold<Ea>('       --B|  ', values)
      const secondSub = '      -----^--!  '
      const expected = '       ----A--B|  '
      const steps = { 1: first, 2: second }
      const run = source.pipe(concatChain((n) => steps[n === 1 ? 1 : 2]))

      m.expectObservable(run).toBe(expected, values)
      m.expectSubscriptions(first.subscriptions).toBe(firstSub)
      m.expectSubscriptions(second.subscriptions).toBe(secondSub)
    }),
  )

  it(
    'leaves the step under way when it is left',
    marbles((m) => {
      const step = m.cold<Ea>('       -----A|', values)
      const run = m.cold<Ea>('       -a|', values).pipe(concatChain(() => step))
      m.expectObservable(run, '  ^--!')
      m.expectSubscriptions(step.subscriptions).toBe('-^-!')
    }),
  )

  it(
    'passes on what a step fails with, and what it breaks with',
    marbles((m) => {
      const failing = m
        .cold('-a-b|', values)
        .pipe(concatChain((n) => (n === 1 ? left('bad') : right(n))))
      m.expectObservable(failing).toBe('-L-b|', values)
      const breaking = m.cold<Ea>('-a-b|', values).pipe(concatChain(() => throwError(() => bug)))
      m.expectObservable(breaking).toBe('-#', values, bug)
    }),
  )
})

describe('mergeChain', () => {
  it(
    'takes several steps at a time, as they come',
    marbles((m) => {
      const source = m.cold<Ea>('  ab|       ', values)
      const first = m.cold<Ea>('   ----A|    ', values)
      const second = m.cold<Ea>('   --B|     ', values)
      const expected = '       ---BA|    '
      m.expectObservable(source.pipe(mergeChain((n) => (n === 1 ? first : second)))).toBe(
        expected,
        values,
      )
      m.expectSubscriptions(second.subscriptions).toBe('-^--!')
    }),
  )

  it(
    'takes no more at a time than it is told',
    marbles((m) => {
      const source = m.cold<Ea>('  (abc|)    ', values)
      const step = m.cold<Ea>('    ----A|    ', values)
      m.expectObservable(source.pipe(mergeChain(() => step, 2))).toBe('----(AA)-A|', values)
      m.expectSubscriptions(step.subscriptions).toBe(['^----!', '^----!', '-----^----!'])
    }),
  )
})

describe('rights and lefts', () => {
  it(
    'are the two sides of a stream',
    marbles((m) => {
      m.expectObservable(m.cold<Ea>('-a-L-b|', values).pipe(rights)).toBe('-a---b|', { a: 1, b: 2 })
      m.expectObservable(m.cold<Ea>('-a-L-b|', values).pipe(lefts)).toBe('---L--|', { L: 'bad' })
      m.expectObservable(m.cold<Ea>('-').pipe(rights)).toBe('-')
      m.expectObservable(m.cold<Ea>('|').pipe(lefts)).toBe('|')
      m.expectObservable(m.cold<Ea>('-#', values, bug).pipe(lefts)).toBe('-#', values, bug)
    }),
  )
})

describe('orThrow', () => {
  it(
    'ends on the first failure, and leaves the source',
    marbles((m) => {
      const source = m.cold<Ea>('-a-L-b|', values)
      const run = source.pipe(orThrow((e: string) => `thrown ${e}`))
      m.expectObservable(run).toBe('-a-#', { a: 1 }, 'thrown bad')
      m.expectSubscriptions(source.subscriptions).toBe('^--!')
      m.expectObservable(m.cold<Ea>('-a-b|', values).pipe(orThrow(() => bug))).toBe('-a-b|', {
        a: 1,
        b: 2,
      })
    }),
  )
})

describe('types', () => {
  it('add up the failures of all steps', () => {
    const source: ObservableEither<'one', number> = right(1)
    const run = source.pipe(
      concatChain((n) => (n > 0 ? right(`${n}`) : left('two' as const))),
      mergeChain((text: string) => of(E.right(text.length))),
    )
    expectTypeOf(run).toEqualTypeOf<ObservableEither<'one' | 'two', number>>()
    expectTypeOf(rights<string, number>).returns.toEqualTypeOf<Observable<number>>()
  })
})
