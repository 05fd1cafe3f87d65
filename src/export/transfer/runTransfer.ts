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
import { Waits } from '../../store/Waits.js'
import { NO_PROGRESS } from '../source/exportList.js'
import { bracket } from './bracket.js'
import { type Endings, endingSoon } from './endings.js'
import { Transfer, type TransferPlan } from './Transfer.js'
import type { TransferEvent } from './TransferEvent.js'

/** How a transfer ends before its end, and how its waits are reported. */
export interface TransferOptions extends Endings {
  /** Names the destination, without secrets. */
  readonly name: string
  readonly tell: ListDescription<unknown>['tell']
}

/** The waits of a destination, as events of the client of a list. */
export const waitsOf = (
  { tell }: Pick<ListDescription<unknown>, 'tell'>,
  name: string,
  timer: SchedulerLike,
): Waits => new Waits(name, timer, (wait) => tell({ _tag: 'DestinationWait', ...wait }))

/**
 * Reads into a destination. At most `every` ms after it was read, all that was read is durable, and a state says up to
 * where. A run that ended, however it did, is resumed from there. In the end a manifest says what is in the files, and
 * what is missing.
 *
 * Cold: each subscription is a run, of whatever `plan` resolves with then. An `ExportError` is the error of the stream;
 * what the system refuses comes after the progress that was kept last. `stop` and `deadline` commit first, and end it soon
 * after that, whatever the destination does. Unsubscribing leaves all as it was kept last, and releases the lease when the
 * operation under way is done; the next subscription waits for that. A run that was frozen, and finds its lease taken over,
 * ends with `Fenced`, and changes nothing more.
 */
export const transfer = <A, B>(
  plan: (waits: Waits) => Promise<TransferPlan<A, B>>,
  { name, tell: told, ...endings }: TransferOptions,
): Observable<TransferEvent> => {
  const { timer = asyncScheduler } = endings
  // one that comes before the destination is there is kept until then
  const stop = concat(endings.stop ?? NEVER, NEVER).pipe(
    share({ connector: () => new ReplaySubject(1) }),
  )
  const events = bracket(
    (tell: (event: TransferEvent) => void) => {
      const waits = waitsOf({ tell: told }, name, timer)
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
