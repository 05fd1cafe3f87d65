/** Thousands of streams, one after or within another: none adds to the stack. */
import * as A from 'fp-ts/lib/Array.js'
import {
  defer,
  delay,
  EMPTY,
  from,
  lastValueFrom,
  NEVER,
  Observable,
  of,
  take,
  toArray,
} from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E, pipe } from '../../../src/fp.js'
import * as OE from '../../../src/stream/either/index.js'
import { inTurn } from '../../support/inTurn.js'

const MANY = 10_000
const numbers = Array.from({ length: MANY }, (_, i) => i)

type Stream<A> = Observable<E.Either<string, A>>

const atOnce = <A>(a: A): Stream<A> => OE.right(a)
const later = <A>(a: A): Stream<A> => defer(async () => E.right(a))

const resultOf = <A>(stream: Stream<A>) => lastValueFrom(stream)

const kinds = [
  ['at once', atOnce],
  ['later', later],
] as const
const makers = kinds.map(([, make]) => make)

describe.each(kinds)('ten thousand streams that emit %s', (_, make) => {
  const test = inTurn(makers, make)
  const all = numbers.map((n) => make(n))

  test.each([
    ['ApplicativePar', OE.ApplicativePar],
    ['ApplicativeSeq', OE.ApplicativeSeq],
  ])('are traversed and sequenced with %s', async (_, F) => {
    const some = numbers.slice(0, 3_000) // fp-ts copies the list so far with each of them
    expect(await resultOf(A.traverse(F)((n: number) => make(n))(some))).toEqual(E.right(some))
    expect(await resultOf(A.sequence(F)(all.slice(0, 3_000)))).toEqual(E.right(some))
  })

  test.each([
    ['traverseArray', OE.traverseArray((n: number) => make(n))],
    ['traverseArrayWithIndex', OE.traverseArrayWithIndex((_, n: number) => make(n))],
    ['traverseSeqArray', OE.traverseSeqArray((n: number) => make(n))],
    ['traverseSeqArrayWithIndex', OE.traverseSeqArrayWithIndex((_, n: number) => make(n))],
  ])('are traversed by %s', async (_, traverse) => {
    expect(await resultOf(traverse(numbers))).toEqual(E.right(numbers))
  })

  test('are sequenced by sequenceArray and sequenceSeqArray', async () => {
    expect(await resultOf(OE.sequenceArray(all))).toEqual(E.right(numbers))
    expect(await resultOf(OE.sequenceSeqArray(all))).toEqual(E.right(numbers))
  })

  test('are added up by ap, chain, map, filterOrElse and bind', async () => {
    const sum = (MANY * (MANY - 1)) / 2
    const add = (a: number) => (b: number) => a + b
    const byAp = all.reduce((total, n) => pipe(total, OE.map(add), OE.ap(n)), make(0))
    expect(await resultOf(byAp)).toEqual(E.right(sum))
    const byChain = all.reduce(
      (total, n) =>
        pipe(
          total,
          OE.chain((a) => pipe(n, OE.map(add(a)))),
        ),
      make(0),
    )
    expect(await resultOf(byChain)).toEqual(E.right(sum))
    const byFilter = all.reduce(
      (total, n) =>
        pipe(
          total,
          OE.chain((a) => pipe(n, OE.map(add(a)))),
          OE.filterOrElse(
            (a) => a >= 0,
            () => 'negative',
          ),
        ),
      make(0),
    )
    expect(await resultOf(byFilter)).toEqual(E.right(sum))
    const byBind = numbers.reduce<Stream<object>>(
      (fields, n) =>
        pipe(
          fields,
          OE.bind(`f${n % 10}`, () => make(n)),
        ),
      OE.right({}),
    )
    const fields = await resultOf(byBind)
    expect(E.isRight(fields) && Object.keys(fields.right).length).toBe(10)
  })

  test('are chained by a function that calls itself', async () => {
    const count = (n: number): Stream<number> =>
      n === 0
        ? make(0)
        : pipe(
            make(n),
            OE.chain(() => count(n - 1)),
            OE.map((m) => m + 1),
          )
    expect(await resultOf(count(MANY))).toEqual(E.right(MANY))
  })

  test('pass the first failure, and an error', async () => {
    const failing = (n: number): Stream<number> => (n > 5_000 ? OE.left(`no ${n}`) : make(n))
    expect(await resultOf(OE.traverseArray(failing)(numbers))).toEqual(E.left('no 5001'))
    expect(await resultOf(OE.traverseSeqArray(failing)(numbers))).toEqual(E.left('no 5001'))
    const breaking = (n: number): Stream<number> =>
      n === 5_000 ? new Observable((out) => out.error(new Error('bug'))) : make(n)
    await expect(resultOf(OE.traverseArray(breaking)(numbers))).rejects.toThrow('bug')
    await expect(resultOf(OE.traverseSeqArray(breaking)(numbers))).rejects.toThrow('bug')
  })
})

describe('leaving ten thousand streams', () => {
  /** A stream that does not end, and counts who holds it. */
  const held = () => {
    let open = 0
    const stream: Stream<number> = new Observable(() => {
      open++
      return () => open--
    })
    return { stream, open: () => open }
  }

  it('leaves all that were subscribed to at once', () => {
    const { stream, open } = held()
    const subscription = OE.sequenceArray(numbers.map(() => stream)).subscribe()
    expect(open()).toBe(MANY)
    subscription.unsubscribe()
    expect(open()).toBe(0)
  })

  it('leaves the one that runs, however deep it is', () => {
    const { stream, open } = held()
    const nested = (n: number): Stream<number> =>
      n === 0
        ? stream
        : pipe(
            atOnce(n),
            OE.chain(() => nested(n - 1)),
          )
    const subscription = nested(MANY).subscribe()
    expect(open()).toBe(1)
    subscription.unsubscribe()
    expect(open()).toBe(0)
  })

  it('takes no more than asked for of a source that has no end', async () => {
    const endless: Stream<number> = from(
      (function* () {
        for (let i = 0; ; i++) yield E.right(i)
      })(),
    )
    const stepped = numbers.slice(0, 20).reduce(
      (stream) =>
        pipe(
          stream,
          OE.chain((n) => OE.right(n + 1)),
        ),
      endless,
    )
    expect(await lastValueFrom(stepped.pipe(take(2), toArray()))).toEqual([
      E.right(20),
      E.right(21),
    ])
  })
})

describe('sequenceArray', () => {
  it('subscribes to all at once, and sequenceSeqArray to one after the other', async () => {
    const log: Array<string> = []
    const call = (n: number): Stream<number> =>
      defer(() => {
        log.push(`begin ${n}`)
        return of(E.right(n)).pipe(delay(0))
      }).pipe(
        OE.map((a) => {
          log.push(`end ${a}`)
          return a
        }),
      )
    await resultOf(OE.sequenceArray([call(1), call(2)]))
    expect(log.splice(0)).toEqual(['begin 1', 'begin 2', 'end 1', 'end 2'])
    await resultOf(OE.sequenceSeqArray([call(1), call(2)]))
    expect(log).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2'])
  })

  it('does nothing before it is subscribed to, and each time anew', async () => {
    let made = 0
    const stream = OE.traverseArray((n: number) => OE.right(n * ++made))([1, 1])
    expect(made).toBe(0)
    expect(await resultOf(stream)).toEqual(E.right([1, 2]))
    expect(await resultOf(stream)).toEqual(E.right([3, 4]))
  })

  it('has no value where a stream has none, and does not end before all have', () => {
    const said: Array<unknown> = []
    OE.sequenceArray<string, number>([OE.right(1), EMPTY]).subscribe({
      next: (a) => said.push(a),
      complete: () => said.push('end'),
    })
    OE.sequenceArray<string, number>([OE.left('no'), NEVER]).subscribe({
      next: (a) => said.push(a),
      complete: () => said.push('end'),
    })
    expect(said).toEqual(['end', E.left('no')])
  })
})
