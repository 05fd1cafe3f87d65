import {
  defer,
  EMPTY,
  EmptyError,
  finalize,
  from,
  lastValueFrom,
  map,
  Observable,
  of,
  SequenceError,
  Subject,
  take,
  throwError,
} from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { E, pipe, type TaskEither } from '../../../src/fp.js'
import {
  concatChain,
  left,
  lefts,
  mergeChain,
  type ObservableEither,
  orElse,
  orThrow,
  right,
  rights,
  toTaskEither,
} from '../../../src/stream/either/ObservableEither.js'
import { collect, type Paged, until } from '../../../src/stream/index.js'
import { marbleTest } from '../../support/marbles.js'
import { rightsOf, upTo } from '../../support/numbers.js'

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
  marbleTest('emit one value at once', (m) => {
    m.expectObservable(left('bad')).toBe('(L|)', values)
    m.expectObservable(right(1)).toBe('(a|)', values)
  })
})

describe('concatChain', () => {
  marbleTest('takes one step after the other, in order', (m) => {
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
  })

  marbleTest('leaves the step under way when it is left', (m) => {
    const step = m.cold<Ea>('       -----A|', values)
    const run = m.cold<Ea>('       -a|', values).pipe(concatChain(() => step))
    m.expectObservable(run, '  ^--!')
    m.expectSubscriptions(step.subscriptions).toBe('-^-!')
  })

  marbleTest('passes on what a step fails with, and what it breaks with', (m) => {
    const failing = m
      .cold('-a-b|', values)
      .pipe(concatChain((n) => (n === 1 ? left('bad') : right(n))))
    m.expectObservable(failing).toBe('-L-b|', values)
    const breaking = m.cold<Ea>('-a-b|', values).pipe(concatChain(() => throwError(() => bug)))
    m.expectObservable(breaking).toBe('-#', values, bug)
  })
})

describe('mergeChain', () => {
  it.each([0, -1, 1.5, Number.NaN])('takes no %d for a number of steps: none would begin', (n) => {
    expect(() => mergeChain(right, n)).toThrow(
      /^concurrent should be a whole number of at least 1, or Infinity/,
    )
  })

  marbleTest('takes several steps at a time, as they come', (m) => {
    const source = m.cold<Ea>('  ab|       ', values)
    const first = m.cold<Ea>('   ----A|    ', values)
    const second = m.cold<Ea>('   --B|     ', values)
    const expected = '       ---BA|    '
    m.expectObservable(source.pipe(mergeChain((n) => (n === 1 ? first : second)))).toBe(
      expected,
      values,
    )
    m.expectSubscriptions(second.subscriptions).toBe('-^--!')
  })

  marbleTest('takes no more at a time than it is told', (m) => {
    const source = m.cold<Ea>('  (abc|)    ', values)
    const step = m.cold<Ea>('    ----A|    ', values)
    m.expectObservable(source.pipe(mergeChain(() => step, 2))).toBe('----(AA)-A|', values)
    m.expectSubscriptions(step.subscriptions).toBe(['^----!', '^----!', '-----^----!'])
  })
})

describe('orElse', () => {
  marbleTest('takes one stream after the other, in order, and values wait for their turn', (m) => {
    const source = m.cold<Ea>('  LaL|', values)
    const first = m.cold<Ea>('   ---(AB|)', values)
    const second = m.cold<Ea>('     ------M|', values)
    const expected = '           ---(ABa)-M|'
    const others = [first, second]
    const run = source.pipe(orElse(() => others.shift() ?? EMPTY))

    m.expectObservable(run).toBe(expected, values)
    m.expectSubscriptions(first.subscriptions).toBe('^--!')
    m.expectSubscriptions(second.subscriptions).toBe('---^------!')
  })

  marbleTest('knows the failure, and may end in another one', (m) => {
    const run = m.cold<Ea>('-a-L|', values).pipe(orElse((failure) => left(failure.toUpperCase())))
    m.expectObservable(run).toBe('-a-M|', values)
    m.expectObservable(m.cold<Ea>('-L', values).pipe(orElse(() => throwError(() => bug)))).toBe(
      '-#',
      values,
      bug,
    )
  })

  marbleTest('leaves the stream under way when it is left', (m) => {
    const other = m.cold<Ea>('-----A|', values)
    m.expectObservable(m.cold<Ea>('-L|', values).pipe(orElse(() => other)), '^--!')
    m.expectSubscriptions(other.subscriptions).toBe('-^-!')
  })
})

describe('toTaskEither', () => {
  const counted = (source: Stream) => {
    let asked = 0
    const counting = defer(() => {
      asked++
      return source
    })
    return { source: counting, asked: () => asked }
  }

  it('asks when it is run, and each time anew', async () => {
    const { source, asked } = counted(right(1))
    const task = toTaskEither(source)
    expect(asked()).toBe(0)
    expect([await task(), await task()]).toEqual([E.right(1), E.right(1)])
    expect(asked()).toBe(2)
    expect(await toTaskEither(left('bad'))()).toEqual(E.left('bad'))
  })

  it('rejects a stream that has none, or more than one, whatever side they are on', async () => {
    await expect(toTaskEither(EMPTY)()).rejects.toBeInstanceOf(EmptyError)
    const several = [
      of(E.right(1), E.right(2)),
      of(E.left('bad'), E.right(2)),
      of(E.left(1), E.left(2)),
    ]
    for (const source of several) {
      await expect(toTaskEither<unknown, unknown>(source)()).rejects.toBeInstanceOf(SequenceError)
    }
  })

  it('leaves a stream at its second value, and rejects with what it breaks with', async () => {
    const source = new Subject<Ea>()
    const run = toTaskEither(source)()
    source.next(E.right(1))
    expect(source.observed).toBe(true)
    source.next(E.right(2))
    expect(source.observed).toBe(false)
    await expect(run).rejects.toBeInstanceOf(SequenceError)
    await expect(toTaskEither(throwError(() => bug))()).rejects.toBe(bug)
  })
})

describe('until', () => {
  marbleTest('leaves the source at an abort, and ends with its reason', (m) => {
    const controller = new AbortController()
    const source = m.cold<Ea>('--a--b--c|', values)
    m.expectObservable(source.pipe(until(controller.signal))).toBe('--a--b#', values, bug)
    m.expectSubscriptions(source.subscriptions).toBe('^-----!')
    m.cold('------x').subscribe(() => controller.abort(bug))
  })

  it('ends at once, and subscribes to nothing, when it was aborted before', () => {
    let asked = 0
    const told: Array<unknown> = []
    new Observable(() => {
      asked++
    })
      .pipe(until(AbortSignal.abort()))
      .subscribe({ error: (error: unknown) => told.push(error) })
    expect(told).toMatchObject([{ name: 'AbortError' }])
    expect(asked).toBe(0)
  })

  it('is heard by a source that aborts while it is subscribed to', () => {
    const controller = new AbortController()
    const told: Array<unknown> = []
    new Observable<number>((subscriber) => {
      controller.abort(bug)
      subscriber.next(1)
    })
      .pipe(until(controller.signal))
      .subscribe({ next: (n) => told.push(n), error: (error: unknown) => told.push(error) })
    expect(told).toEqual([bug])
  })

  it('listens for as long as it is subscribed to', () => {
    const { signal } = new AbortController()
    const listening = new Set<unknown>()
    signal.addEventListener = (_: string, listener: unknown) => void listening.add(listener)
    signal.removeEventListener = (_: string, listener: unknown) => void listening.delete(listener)
    const under = new Subject<Ea>()
    const left = under.pipe(until(signal)).subscribe()
    under.pipe(until(signal)).subscribe()
    expect(listening.size).toBe(2)
    left.unsubscribe()
    expect(listening.size).toBe(1)
    under.complete()
    expect(listening.size).toBe(0)
  })
})

describe.each<{
  readonly name: string
  readonly operator: (f: (n: number) => Stream) => (source: Stream) => Stream
}>([
  { name: 'concatChain', operator: (f) => concatChain(f) },
  { name: 'mergeChain', operator: (f) => mergeChain(f, 2) },
])('$name', ({ operator }) => {
  it('goes through thousands of steps that come at once behind some that wait', () => {
    const open = new Subject<void>()
    const seen: Array<Ea> = []
    const waits = (n: number): Stream => open.pipe(map(() => E.right(n)))
    const source = from(upTo(20_000).map((n) => E.right(n)))
    source
      .pipe(operator((n) => (n < 2 ? waits(n).pipe(take(1)) : right(n))))
      .subscribe((ea) => seen.push(ea))
    open.next()
    open.next()
    expect(rightsOf(seen).sort((a, b) => a - b)).toEqual(upTo(20_000))
  })

  it('begins no step before the one whose place it takes has ended and cleaned up', () => {
    const seen: Array<string> = []
    const step = (n: number): Stream =>
      defer(() => {
        seen.push(`begin ${n}`)
        return right(n)
      }).pipe(finalize(() => seen.push(`end ${n}`)))
    const source = from([E.right(1), E.right(2)])
    source.pipe(operator(step)).subscribe()
    expect(seen).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2'])
  })

  it('ends with a bug of a step, and of what makes it', async () => {
    const throws = (): never => {
      throw bug
    }
    const source = from([E.right(1), E.right(2)])
    await expect(lastValueFrom(source.pipe(operator(throws)))).rejects.toBe(bug)
    const fails = operator(() => throwError(() => bug))
    await expect(lastValueFrom(source.pipe(fails))).rejects.toBe(bug)
  })
})

describe('rights and lefts', () => {
  marbleTest('are the two sides of a stream', (m) => {
    m.expectObservable(m.cold<Ea>('-a-L-b|', values).pipe(rights)).toBe('-a---b|', { a: 1, b: 2 })
    m.expectObservable(m.cold<Ea>('-a-L-b|', values).pipe(lefts)).toBe('---L--|', { L: 'bad' })
    m.expectObservable(m.cold<Ea>('-').pipe(rights)).toBe('-')
    m.expectObservable(m.cold<Ea>('|').pipe(lefts)).toBe('|')
    m.expectObservable(m.cold<Ea>('-#', values, bug).pipe(lefts)).toBe('-#', values, bug)
  })
})

describe('orThrow', () => {
  marbleTest('ends on the first failure, and leaves the source', (m) => {
    const source = m.cold<Ea>('-a-L-b|', values)
    const run = source.pipe(orThrow((e: string) => `thrown ${e}`))
    m.expectObservable(run).toBe('-a-#', { a: 1 }, 'thrown bad')
    m.expectSubscriptions(source.subscriptions).toBe('^--!')
    m.expectObservable(m.cold<Ea>('-a-b|', values).pipe(orThrow(() => bug))).toBe('-a-b|', {
      a: 1,
      b: 2,
    })
  })
})

describe('types', () => {
  it('add up the failures of all steps', () => {
    const source: ObservableEither<'one', number> = right(1)
    const run = source.pipe(
      concatChain((n) => (n > 0 ? right(`${n}`) : left('two' as const))),
      mergeChain((text: string) => of(E.right(text.length))),
    )
    expectTypeOf(run).toEqualTypeOf<ObservableEither<'one' | 'two', number>>()
    expectTypeOf(run.pipe(orElse((e: 'one' | 'two') => left(e.length)))).toEqualTypeOf<
      ObservableEither<number, number>
    >()
    expectTypeOf(source.pipe(orElse(() => right('other')))).toEqualTypeOf<
      ObservableEither<never, number | string>
    >()
    expectTypeOf(rights<string, number>).returns.toEqualTypeOf<Observable<number>>()
  })

  it('have one `Either` for a TaskEither: a list is collected first', () => {
    const call: ObservableEither<'one', number> = right(1)
    expectTypeOf(toTaskEither(call)).toEqualTypeOf<TaskEither<'one', number>>()
    expectTypeOf(pipe(call, toTaskEither)).toEqualTypeOf<TaskEither<'one', number>>()
    expectTypeOf(collect({ max: 1 })<'one', number>).returns.toExtend<
      Parameters<typeof toTaskEither>[0]
    >()
    // @ts-expect-error a list has many
    const listed = (list: Paged<'one', number>) => toTaskEither(list)
    expectTypeOf(listed).toBeFunction()
  })

  it('are kept by `until`', () => {
    const { signal } = new AbortController()
    expectTypeOf(right(1).pipe(until(signal))).toEqualTypeOf<Observable<E.Either<never, number>>>()
  })
})
