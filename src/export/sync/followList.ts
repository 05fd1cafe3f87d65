/** Keeps a list current that is read whole in each poll, since the service offers no other way to find what changed. */
import {
  concat,
  defer,
  EMPTY,
  finalize,
  firstValueFrom,
  from,
  ignoreElements,
  lastValueFrom,
  map,
  merge,
  type Observable,
  ReplaySubject,
  type SchedulerLike,
  takeUntil,
} from 'rxjs'
import { PollInterrupted } from '../../changes/Asking.js'
import { fingerprint } from '../../changes/fingerprint.js'
import { E } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Millis } from '../../stream/index.js'
import { later } from '../../stream/later.js'
import { type ExportSource, sourceOf } from '../source/ExportSource.js'
import type { Reject } from '../source/sortPage.js'
import type { Transfer } from '../transfer/Transfer.js'
import { rejectedRows, type TransferEvent } from '../transfer/TransferEvent.js'
import type { Sweep } from './SyncOptions.js'

/** How often a table is looked after. */
export interface FollowPace {
  readonly every: Millis
  /** Time of day of the proof, in ms since midnight, UTC. */
  readonly prove: Millis
  readonly sweep: Sweep
  readonly timer: SchedulerLike
}

/** Reads the list until the transfer is stopped, or its lease is lost, and replaces all rows where it has changed. */
export const followList = <A>(
  transfer: Transfer<A, A>,
  list: ExportSource<A>,
  pace: FollowPace,
): Observable<TransferEvent> => {
  const over = new ReplaySubject<void>(1)
  return from(readings(transfer, list, pace, merge(transfer.cuts, over))).pipe(
    finalize(() => over.next()),
  )
}

async function* readings<A>(
  transfer: Transfer<A, A>,
  list: ExportSource<A>,
  { every, timer }: FollowPace,
  stop: Observable<unknown>,
): AsyncGenerator<TransferEvent, void, undefined> {
  let last: string | undefined
  while (!transfer.isCut) {
    const began = timer.now()
    try {
      const { good, bad, version } = await readWhole(transfer, list, stop)
      if (version !== last) {
        const rejected = rejectedRows(bad)
        await transfer.readAgain(good, bad, { rejected, upTo: began }, good.length, 'finish')
        last = version
      }
      yield { ...transfer.shown(), upTo: began }
    } catch (error) {
      if (!(error instanceof PollInterrupted)) throw error
      const { failure } = error
      if (failure === undefined) return transfer.interrupt(undefined)
      yield { ...transfer.shown(), outage: failure }
    }
    if (await isOverAfter(began + every - timer.now(), timer, stop)) {
      return transfer.interrupt(undefined)
    }
  }
}

/** Waits until the next poll. Resolves with true if it is to end meanwhile. */
export const isOverAfter = (
  rest: Millis,
  timer: FollowPace['timer'],
  stop: Observable<unknown>,
): Promise<boolean> =>
  firstValueFrom(
    merge(stop.pipe(map(() => true)), later(Math.max(0, rest), timer).pipe(map(() => false))),
  )

interface Whole<A> {
  readonly good: ReadonlyArray<A>
  readonly bad: ReadonlyArray<Reject>
  /** Tells readings apart. */
  readonly version: string
}

/** Characters of a version: 60 bits. */
const VERSION_LENGTH = 10

/** Reads all rows. Rejects with `PollInterrupted`. */
const readWhole = async <A>(
  transfer: Transfer<A, A>,
  list: ExportSource<A>,
  stop: Observable<unknown>,
): Promise<Whole<A>> => {
  const { destination } = transfer.session
  const { redact = (row: unknown) => row } = transfer.plan
  const good: Array<A> = []
  const bad: Array<Reject> = []
  const versions: Array<string> = []
  let failure: AnyFailure | undefined
  let isWhole = false
  const pages = sourceOf(list, false)
    .pages()
    .drain((page) =>
      defer(() => {
        if (E.isLeft(page)) failure = page.left
        else {
          const { items, raw } = page.right
          versions.push(fingerprint(JSON.stringify(raw), VERSION_LENGTH))
          items.forEach((row, i) => {
            const reason = E.isLeft(row) ? row.left.message : destination.check(row.right)?.message
            if (E.isRight(row) && reason === undefined) good.push(row.right)
            else bad.push({ reason: reason ?? '', row: redact(raw[i]) })
          })
        }
        return EMPTY
      }),
    )
  const ended = defer(() => {
    isWhole = true
    return EMPTY
  })
  const none = { defaultValue: undefined }
  await lastValueFrom(concat(pages, ended).pipe(ignoreElements(), takeUntil(stop)), none)
  if (failure !== undefined || !isWhole) throw new PollInterrupted(failure)
  return { good, bad, version: fingerprint(versions.join(), VERSION_LENGTH) }
}
