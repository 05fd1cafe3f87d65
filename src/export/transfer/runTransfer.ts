import {
  asyncScheduler,
  concat,
  NEVER,
  type Observable,
  ReplaySubject,
  type SchedulerLike,
  share,
} from 'rxjs'
import { withoutPrototype } from '../../fp.js'
import type { ListDescription } from '../../http/list/List.js'
import { type LeaseWait, waitWords } from '../../store/lease.js'
import { DISK_SILENT_FOR, Waits } from '../../store/Waits.js'
import { NO_PROGRESS } from '../source/exportList.js'
import { bracket } from './bracket.js'
import { type Endings, endingSoon } from './endings.js'
import { Transfer, type TransferPlan } from './Transfer.js'
import type { TransferEvent } from './TransferEvent.js'

export interface TransferOptions extends Endings {
  /** Name of the destination, without secrets. */
  readonly name: string
  readonly tell: ListDescription<unknown>['tell']
  /** True for files on a local disk, whose shorter waits are not reported. */
  readonly isOnDisk?: boolean
}

/** Reports the waits of a destination as events of the list's client. */
export const waitsOf = (
  { tell }: Pick<ListDescription<unknown>, 'tell'>,
  name: string,
  timer: SchedulerLike,
  isOnDisk = false,
): Waits =>
  new Waits(
    name,
    timer,
    (wait) => tell({ _tag: 'DestinationWait', ...wait }),
    isOnDisk ? DISK_SILENT_FOR : undefined,
  )

/**
 * Reads lists into a destination. Rows are durable at most `every` ms after they were read, and a state records the position at
 * which any run can resume. At the end, a manifest lists the files and what is missing.
 *
 * Cold: each subscription is a run with the current result of `plan`. An `ExportError` is the error of the stream; system
 * errors follow the last saved progress. `stop` and `deadline` commit first and then end the stream soon, whatever the
 * destination does. Unsubscribing keeps the last saved state, and releases the lease once the current operation is done; the
 * next subscription waits for that. A frozen run whose lease was taken over ends with `Fenced` and changes nothing more.
 */
export const transfer = <A, B>(
  plan: (waits: Waits) => Promise<TransferPlan<A, B>>,
  { name, tell: told, isOnDisk, ...endings }: TransferOptions,
): Observable<TransferEvent> => {
  const { timer = asyncScheduler } = endings
  // events that occur before the destination exists are kept until it does
  const stop = concat(endings.stop ?? NEVER, NEVER).pipe(
    share({ connector: () => new ReplaySubject(1) }),
  )
  const events = bracket(
    (tell: (event: TransferEvent) => void) => {
      const waits = waitsOf({ tell: told }, name, timer, isOnDisk)
      return waits.during(async () => {
        const asked = timer.now()
        const planned = withoutPrototype({ ...(await plan(waits)), stop })
        const onWait = (waiting: LeaseWait): void => {
          waits.announce(waitWords(waiting))
          tell({ ...NO_PROGRESS, waiting })
        }
        return Transfer.begin(planned, asked, onWait, waits)
      })
    },
    (transfer: Transfer<A, B>) => transfer.close(),
  )((transfer) => transfer.events())
  return endingSoon(events, withoutPrototype({ ...endings, stop }))
}
