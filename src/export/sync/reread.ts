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
import { rowId } from '../../http/answer/readAnswer.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Millis } from '../../stream/index.js'
import type { Reject } from '../sortPage.js'
import type { Transfer } from '../transfer/Transfer.js'
import type { Rereads, TransferEvent } from '../transfer/TransferEvent.js'
import type { TimedSource } from './SyncOptions.js'

// model

export interface RereadOptions<A> {
  readonly transfer: Transfer<A, A>
  readonly retrieve: TimedSource<A>['retrieve']
  /** Rows created later were read by time, in ms since 1970. */
  readonly createdBefore: Millis
  /** Rows that are not final, at most. */
  readonly limit: number
  /** Requests under way at once. */
  readonly parallel: number
}

export interface RereadProgress {
  readonly event: TransferEvent
  readonly rereads: Rereads
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
    concatMap(({ rejected, unsettled, total }) => {
      const { transfer } = options
      const nothing: RereadProgress = {
        event: transfer.shown(),
        rereads: { done: 0, gone: 0, total },
      }
      return concat(
        steps(
          options,
          rejected.filter((id) => !transfer.rejectedIds.has(id)),
          () => transfer.upkeep.reread,
        ),
        steps(options, unsettled, (ids) => ids.at(-1) ?? ''),
      ).pipe(
        scan(plus, nothing),
        startWith(nothing),
        takeWhile(({ failure }) => failure === undefined, true),
      )
    }),
  )

interface Ids {
  readonly rejected: ReadonlyArray<string>
  readonly unsettled: ReadonlyArray<string>
  /** Rows that are not final. */
  readonly total: number
}

const idsOf = async <A>({ transfer, createdBefore, limit }: RereadOptions<A>): Promise<Ids> => {
  const { rejected, reread: after } = transfer.upkeep
  const { unsettled } = transfer.session.destination
  if (unsettled === undefined) return { rejected, unsettled: [], total: 0 }
  const query = { final: finalChargeStatuses, createdBefore }
  const next = await unsettled({ ...query, after, limit })
  const room = after === '' ? 0 : limit - next.ids.length
  const again = room > 0 ? await unsettled({ ...query, after: '', limit: room }) : next
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

/** What a step did. */
interface Step {
  readonly event?: TransferEvent
  readonly done: number
  readonly gone: number
  readonly failure?: AnyFailure
}

/** Writes what came. A step that failed is not kept: the next run repeats it. */
const written = async <A>(
  { transfer }: RereadOptions<A>,
  answers: ReadonlyArray<Answer<A>>,
  reread: string,
): Promise<Step> => {
  const good: Array<A> = []
  const bad: Array<Reject> = []
  let gone = 0
  for (const { id, row } of answers) {
    if (E.isRight(row)) {
      const problem = transfer.session.destination.check(row.right)
      if (problem === undefined) good.push(row.right)
      else bad.push({ reason: problem.message, row: transfer.redact(row.right) })
    } else if (row.left._tag === 'Undecodable') bad.push({ reason: row.left.message, row: { id } })
    else if (row.left._tag === 'Refused' && row.left.status === 404) gone++
    else return { done: 0, gone: 0, failure: row.left }
  }
  const read = new Set(answers.map(({ id }) => id))
  const again = bad.flatMap((reject) => rowId(reject.row) ?? [])
  const rejected = [...transfer.upkeep.rejected.filter((id) => !read.has(id)), ...again]
  const event = await transfer.readAgain(good, bad, { rejected, reread })
  return { event, done: answers.length, gone }
}

const plus = (before: RereadProgress, { failure, event, done, gone }: Step): RereadProgress => ({
  event: event ?? before.event,
  rereads: {
    done: before.rereads.done + done,
    gone: before.rereads.gone + gone,
    total: before.rereads.total,
  },
  ...defined({ failure }),
})
