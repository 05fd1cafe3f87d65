/** Rows that a list by time does not show any more, read again by their ids. */
import {
  bufferCount,
  concat,
  concatMap,
  defer,
  from,
  map,
  mergeMap,
  type Observable,
  scan,
  startWith,
  takeWhile,
  toArray,
} from 'rxjs'
import { finalChargeStatuses } from '../../codec/Charge.js'
import { defined, E } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Millis } from '../../stream/index.js'
import type { SyncRereads, TimedSource } from './SyncOptions.js'
import type { SyncSession } from './SyncSession.js'

// model

export interface RereadOptions<A> {
  readonly session: SyncSession<A>
  readonly retrieve: TimedSource<A>['retrieve']
  /** Rows created later were read by time, in ms since 1970. */
  readonly createdBefore: Millis
  /** Ids that are left out. */
  readonly except: ReadonlySet<string>
  /** Rows that are not final, at most. */
  readonly limit: number
  /** Requests under way at once. */
  readonly parallel: number
}

export interface RereadProgress extends SyncRereads {
  /** Rows written. */
  readonly rows: number
  /** Rows that could not be written. */
  readonly rejects: number
  /** Why it ends. */
  readonly failure?: AnyFailure
}

/** An id, and what the service has of it. */
interface Answer<A> {
  readonly id: string
  readonly row: E.Either<AnyFailure, A>
}

/** Rows of a step. */
const STEP = 100

// constructors

/**
 * Reads the rows again that were rejected, and up to `limit` of those that are not final: in turn by id, from where the
 * last run stopped. Emits after each step; the last one has the `failure` that ended it.
 */
export const reread = <A>(options: RereadOptions<A>): Observable<RereadProgress> =>
  defer(() => idsOf(options)).pipe(
    concatMap(({ rejected, unsettled, total }) =>
      concat(
        steps(
          options,
          rejected.filter((id) => !options.except.has(id)),
          () => options.session.state.reread,
        ),
        steps(options, unsettled, (ids) => ids.at(-1) ?? ''),
      ).pipe(
        scan(plus, nothing(total)),
        startWith(nothing(total)),
        takeWhile(({ failure }) => failure === undefined, true),
      ),
    ),
  )

const nothing = (total: number): RereadProgress => ({
  rows: 0,
  rejects: 0,
  done: 0,
  gone: 0,
  total,
})

interface Ids {
  readonly rejected: ReadonlyArray<string>
  readonly unsettled: ReadonlyArray<string>
  /** Rows that are not final. */
  readonly total: number
}

const idsOf = async <A>({ session, createdBefore, limit }: RereadOptions<A>): Promise<Ids> => {
  const { rejected, reread: after } = session.state
  const query = { final: finalChargeStatuses, createdBefore }
  const next = await session.target.unsettled({ ...query, after, limit })
  const room = after === '' ? 0 : limit - next.ids.length
  const again =
    room > 0 ? await session.target.unsettled({ ...query, after: '', limit: room }) : next
  const all = new Set([...next.ids, ...again.ids])
  return { rejected, unsettled: [...all].filter((id) => !rejected.includes(id)), total: next.total }
}

/** Reads some ids a step at a time; `next` is the last id of the turn, which is kept with each. */
const steps = <A>(
  options: RereadOptions<A>,
  ids: ReadonlyArray<string>,
  next: (ids: ReadonlyArray<string>) => string,
): Observable<Step> =>
  from(ids).pipe(
    bufferCount(STEP),
    concatMap((some) =>
      from(some).pipe(
        mergeMap(
          (id) => options.retrieve({ id }).pipe(map((row) => ({ id, row }))),
          options.parallel,
        ),
        toArray(),
        concatMap((answers) => written(options, answers, next(some))),
      ),
    ),
  )

type Step = Omit<RereadProgress, 'total'>

/** Writes what came. A step that failed is not kept: the next run repeats it. */
const written = async <A>(
  { session }: RereadOptions<A>,
  answers: ReadonlyArray<Answer<A>>,
  reread: string,
): Promise<Step> => {
  const good: Array<A> = []
  const bad: Array<string> = []
  let gone = 0
  for (const { id, row } of answers) {
    if (E.isRight(row)) {
      if (session.target.check(row.right) === undefined) good.push(row.right)
      else bad.push(id)
    } else if (row.left._tag === 'Undecodable') bad.push(id)
    else if (row.left._tag === 'Refused' && row.left.status === 404) gone++
    else return { rows: 0, rejects: 0, done: 0, gone: 0, failure: row.left }
  }
  const read = new Set(answers.map(({ id }) => id))
  const rejected = [...session.state.rejected.filter((id) => !read.has(id)), ...bad]
  await session.commit(good, { ...session.state, rejected, reread })
  return { rows: good.length, rejects: bad.length, done: answers.length, gone }
}

const plus = (before: RereadProgress, { failure, ...step }: Step): RereadProgress => ({
  rows: before.rows + step.rows,
  rejects: before.rejects + step.rejects,
  done: before.done + step.done,
  gone: before.gone + step.gone,
  total: before.total,
  ...defined({ failure }),
})
