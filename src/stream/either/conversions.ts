/** Conversions to streams of `Either`. All are lazy. */
import { defer, map, type Observable, of } from 'rxjs'
import { E, type IO, type O, type Task, type TaskEither } from '../../fp.js'
import type { ObservableEither } from './ObservableEither.js'

/** Emits the `Either`. */
export const fromEither = <E, A>(ea: E.Either<E, A>): ObservableEither<E, A> => of(ea)

/** Emits the value, or the failure that `onNone` returns. */
export const fromOption =
  <E>(onNone: () => E) =>
  <A>(oa: O.Option<A>): ObservableEither<E, A> =>
    defer(() => of(E.fromOption(onNone)(oa)))

/** Runs the effect on each subscription. An exception from it is a bug: an error of the stream. */
export const fromIO = <A, E = never>(io: IO<A>): ObservableEither<E, A> =>
  defer(() => of(E.right(io())))

/** Runs the task on each subscription. If it rejects, that is a bug: an error of the stream. */
export const fromTask = <A, E = never>(task: Task<A>): ObservableEither<E, A> =>
  defer(task).pipe(map(E.right))

/** Runs the task on each subscription. */
export const fromTaskEither = <E, A>(task: TaskEither<E, A>): ObservableEither<E, A> => defer(task)

/** Emits the values of a plain stream. Its error remains an error of the stream. */
export const fromObservable = <A, E = never>(source: Observable<A>): ObservableEither<E, A> =>
  source.pipe(map(E.right))
