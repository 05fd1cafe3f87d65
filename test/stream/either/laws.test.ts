/** The laws of fp-ts's type classes, for streams of any length, in virtual time. */
import fc from 'fast-check'
import { concatMap, delay, from, of, VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E, flow, pipe } from '../../../src/fp.js'
import * as OE from '../../../src/stream/either/index.js'
import { forAll } from '../../support/forAll.js'

type Stream = OE.ObservableEither<string, number>

/** The values of a stream, each with the time after which it comes. */
type Plan<A> = ReadonlyArray<readonly [after: number, ea: E.Either<string, A>]>
type Play = <A>(plan: Plan<A>) => OE.ObservableEither<string, A>

const planOf = <A>(value: fc.Arbitrary<A>): fc.Arbitrary<Plan<A>> => {
  const either = fc.oneof(
    fc.string({ maxLength: 3 }).map((e): E.Either<string, A> => E.left(e)),
    value.map((a): E.Either<string, A> => E.right(a)),
  )
  return fc.array(fc.tuple(fc.nat(3), either), { maxLength: 4 })
}

/** All that a stream emits, in order. When is not said: the laws hold for values. */
const emitted = <A>(build: (play: Play) => OE.ObservableEither<string, A>) => {
  const time = new VirtualTimeScheduler()
  const play: Play = (plan) =>
    from(plan).pipe(
      concatMap(([after, ea]) => of(ea).pipe(after > 0 ? delay(after, time) : (s) => s)),
    )
  const all: Array<E.Either<string, A> | 'end'> = []
  build(play).subscribe({ next: (ea) => all.push(ea), complete: () => all.push('end') })
  time.flush()
  return all
}

const number = fc.integer({ min: -5, max: 5 })
const plan = planOf(number)
const fn = fc.func(number)
const step = fc.func(plan)
const fns = planOf(fn)

const { map } = OE.Functor
const { of: pure } = OE.Pointed
const { chain } = OE.Chain

describe('Functor', () => {
  it('keeps the identity, and composes', () => {
    forAll(plan, fn, fn, (s, f, g) => {
      expect(emitted((play) => map(play(s), (a) => a))).toEqual(emitted((play) => play(s)))
      expect(emitted((play) => map(map(play(s), f), g))).toEqual(
        emitted((play) => map(play(s), flow(f, g))),
      )
    })
  })
})

describe('Bifunctor', () => {
  it('keeps the identity, composes, and has `mapLeft` and `map` for its sides', () => {
    const text = fc.func(fc.string({ maxLength: 3 }))
    const { bimap, mapLeft } = OE.Bifunctor
    forAll(plan, text, text, fn, fn, (s, e, h, f, g) => {
      const id = <A>(a: A) => a
      expect(emitted((play) => bimap(play(s), id, id))).toEqual(emitted((play) => play(s)))
      expect(emitted((play) => bimap(bimap(play(s), e, f), h, g))).toEqual(
        emitted((play) => bimap(play(s), flow(e, h), flow(f, g))),
      )
      expect(emitted((play) => map(mapLeft(play(s), e), f))).toEqual(
        emitted((play) => bimap(play(s), e, f)),
      )
    })
  })
})

describe.each([
  { name: 'ApplicativePar', F: OE.ApplicativePar },
  { name: 'ApplicativeSeq', F: OE.ApplicativeSeq },
])('$name', ({ F }) => {
  it('keeps the identity, and is a homomorphism with interchange', () => {
    forAll(plan, fns, fn, number, (s, fs, f, a) => {
      expect(
        emitted((play) =>
          F.ap(
            F.of((n: number) => n),
            play(s),
          ),
        ),
      ).toEqual(emitted((play) => play(s)))
      expect(emitted(() => F.ap(F.of(f), F.of(a)))).toEqual(emitted(() => F.of(f(a))))
      expect(emitted((play) => F.ap(play(fs), F.of(a)))).toEqual(
        emitted((play) =>
          F.ap(
            F.of((g: (n: number) => number) => g(a)),
            play(fs),
          ),
        ),
      )
    })
  })

  it('composes', () => {
    forAll(plan, fns, fns, (s, fs, gs) => {
      type F = (n: number) => number
      const compose = (g: F) => (f: F) => (n: number) => g(f(n))
      expect(emitted((play) => F.ap(F.ap(F.map(play(gs), compose), play(fs)), play(s)))).toEqual(
        emitted((play) => F.ap(play(gs), F.ap(play(fs), play(s)))),
      )
    })
  })

  it('agrees with `chain` and `map`', () => {
    forAll(plan, fns, (s, fs) => {
      expect(emitted((play) => F.ap(play(fs), play(s)))).toEqual(
        emitted((play) => chain(play(fs), (f) => map(play(s), f))),
      )
    })
  })
})

describe('Monad', () => {
  it('has units on both sides, and is associative', () => {
    forAll(plan, step, step, number, (s, f, g, a) => {
      expect(emitted((play) => chain<string, number, number>(pure(a), (n) => play(f(n))))).toEqual(
        emitted((play) => play(f(a))),
      )
      expect(emitted((play) => chain(play(s), (n): Stream => pure(n)))).toEqual(
        emitted((play) => play(s)),
      )
      expect(
        emitted((play) =>
          chain(
            chain(play(s), (n) => play(f(n))),
            (n) => play(g(n)),
          ),
        ),
      ).toEqual(emitted((play) => chain(play(s), (n) => chain(play(f(n)), (m) => play(g(m))))))
    })
  })
})

describe('MonadThrow', () => {
  it('runs no step after a failure', () => {
    forAll(fc.string(), step, (e, f) => {
      const failed: Stream = OE.MonadThrow.throwError(e)
      expect(emitted((play) => chain(failed, (n) => play(f(n))))).toEqual([E.left(e), 'end'])
    })
  })
})

describe('Alt', () => {
  it('is associative, and `map` distributes over it', () => {
    const { alt } = OE.Alt
    forAll(plan, plan, plan, fn, (a, b, c, f) => {
      expect(
        emitted((play) =>
          alt(
            alt(play(a), () => play(b)),
            () => play(c),
          ),
        ),
      ).toEqual(emitted((play) => alt(play(a), () => alt(play(b), () => play(c)))))
      expect(
        emitted((play) =>
          map(
            alt(play(a), () => play(b)),
            f,
          ),
        ),
      ).toEqual(emitted((play) => alt(map(play(a), f), () => map(play(b), f))))
    })
  })
})

describe('FromEither and FromIO', () => {
  it('keep `of` and `chain`', () => {
    const either = fc.oneof(
      fc.string().map((e): E.Either<string, number> => E.left(e)),
      number.map((n): E.Either<string, number> => E.right(n)),
    )
    const { fromEither } = OE.FromEither
    const { fromIO } = OE.FromIO
    forAll(either, fc.func(either), number, fn, (ea, f, a, g) => {
      expect(emitted(() => fromEither<string, number>(E.of(a)))).toEqual(emitted(() => pure(a)))
      expect(emitted(() => fromEither(pipe(ea, E.flatMap(f))))).toEqual(
        emitted(() => chain(fromEither(ea), (n) => fromEither(f(n)))),
      )
      expect(emitted(() => fromIO<number, string>(() => a))).toEqual(emitted(() => pure(a)))
      expect(emitted(() => fromIO<number, string>(() => g(a)))).toEqual(
        emitted(() =>
          chain(
            fromIO<number, string>(() => a),
            (n) => fromIO(() => g(n)),
          ),
        ),
      )
    })
  })
})
