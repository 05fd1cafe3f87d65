/**
 * Operators on streams of Either, beside the same operators of rxjs on bare values and streams of effect:
 * `npm run bench -- operators [--json]`.
 */

import { Effect, Stream } from 'effect'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as OE from 'payments-rx/ObservableEither'
import { concatMap, filter, from, lastValueFrom, map, of, reduce } from 'rxjs'
import { runMicro } from '../micro.ts'

const COUNT = 10_000
const amounts = Array.from({ length: COUNT }, (_, i) => i)
const rightAmounts = amounts.map((amount) => E.right<string, number>(amount))

const double = (n: number): number => n * 2
const isEven = (n: number): boolean => n % 4 === 0
const add = (sum: number, n: number): number => sum + n

await runMicro([
  {
    subject: 'map, filter and reduce 10,000 values',
    items: COUNT,
    contenders: [
      {
        name: 'rxjs, bare values',
        role: 'floor',
        run: () => lastValueFrom(from(amounts).pipe(map(double), filter(isEven), reduce(add, 0))),
      },
      {
        name: 'payments-rx',
        role: 'ours',
        run: () =>
          lastValueFrom(
            pipe(from(rightAmounts), OE.map(double), OE.filter(isEven), OE.reduce(0, add)),
          ),
      },
      {
        name: 'rxjs, Either by hand',
        role: 'peer',
        run: () =>
          lastValueFrom(
            from(rightAmounts).pipe(
              map(E.map(double)),
              filter((one) => E.isLeft(one) || isEven(one.right)),
              reduce<E.Either<string, number>, E.Either<string, number>>(
                (sum, one) =>
                  E.isLeft(sum) ? sum : E.isLeft(one) ? one : E.right(add(sum.right, one.right)),
                E.right(0),
              ),
            ),
          ),
      },
      {
        name: 'effect',
        role: 'peer',
        run: () =>
          Effect.runPromise(
            Stream.fromIterable(amounts).pipe(
              Stream.map(double),
              Stream.filter(isEven),
              Stream.runFold(() => 0, add),
            ),
          ),
      },
    ],
  },
  {
    subject: 'chain 10,000 values to one each',
    items: COUNT,
    contenders: [
      {
        name: 'rxjs, bare values',
        role: 'floor',
        run: () => lastValueFrom(from(amounts).pipe(concatMap((n) => of(double(n))))),
      },
      {
        name: 'payments-rx',
        role: 'ours',
        run: () =>
          lastValueFrom(
            pipe(
              from(rightAmounts),
              OE.chain((n) => OE.right(double(n))),
            ),
          ),
      },
      {
        name: 'rxjs, Either by hand',
        role: 'peer',
        run: () =>
          lastValueFrom(
            from(rightAmounts).pipe(
              concatMap((one) => of(E.isLeft(one) ? one : E.right(double(one.right)))),
            ),
          ),
      },
      {
        name: 'effect',
        role: 'peer',
        run: () =>
          Effect.runPromise(
            Stream.fromIterable(amounts).pipe(
              Stream.flatMap((n) => Stream.succeed(double(n))),
              Stream.runDrain,
            ),
          ),
      },
    ],
  },
])
