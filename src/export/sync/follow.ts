/** Keeps a table current: a sync that continues with polls, and proves its rows every day. */
import { asyncScheduler, type Observable } from 'rxjs'
import { withoutPrototype } from '../../fp.js'
import { checkOptions, InvalidOption, is, type OptionsTable } from '../../options/index.js'
import type { Millis } from '../../stream/index.js'
import type { ExportSource } from '../source/ExportSource.js'
import { followCharges } from './followCharges.js'
import { followList } from './followList.js'
import type { FollowPace } from './followPolls.js'
import { type SyncEvent, type SyncOptions, syncRules, type TimedSource } from './SyncOptions.js'
import { startSync } from './sync.js'

/** Options of `follow`: the table, the polling interval and the time of the proof. */
export interface FollowOptions<in A = unknown>
  extends Pick<
    SyncOptions<A>,
    | 'to'
    | 'table'
    | 'since'
    | 'sweep'
    | 'parallel'
    | 'maxRejects'
    | 'allowGone'
    | 'onReject'
    | 'lease'
    | 'stop'
    | 'account'
    | 'timer'
  > {
  /** Interval between polls, in ms. Default 10,000. */
  readonly every?: Millis | undefined
  /** Time of the daily proof (a comparison of counts), in UTC: `HH:MM`. Default `02:00`. */
  readonly prove?: string | undefined
}

/** Parses a time of day to ms since midnight; `NaN` if invalid. */
const timeOfDay = (text: string): Millis => {
  const [, hours = '', minutes = ''] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hours === '' ? Number.NaN : (Number(hours) * 60 + Number(minutes)) * 60_000
}

const { to, table, since, sweep, parallel, maxRejects, allowGone, onReject, lease } = syncRules
const { stop, account, timer } = syncRules

const followRules: OptionsTable<FollowOptions<never>> = {
  ...{ to, table, since, sweep, parallel, maxRejects, allowGone, onReject, lease },
  ...{ stop, account, timer },
  every: is.positiveFinite,
  prove: is.stringThat((text) => !Number.isNaN(timeOfDay(text)), 'a time of day such as 02:00'),
}

/** Lookback at the start, which equals that of polls. The proof finds rows that appeared later. */
const LOOKBACK = 3_600_000

/**
 * Keeps a table current until it is stopped: catches up like `sync`, using the same lease and state, and then polls.
 * `payments.charges` is polled as in `changes`, with a daily proof and sweep; other lists, such as
 * `payments.batchTransfers.list()`, are read in full in each poll.
 *
 * Emits its progress after each page, with `upTo` after a poll and `proof` after a proof. An outage is a `Left`, after which
 * the stream continues; an outage at the start, an error of the destination or a takeover by another owner (`Fenced`) is a
 * `Left` that ends it. If killed, the next call continues. Throws an `InvalidOption` immediately for an invalid option.
 */
export const follow = <A>(
  source: TimedSource<A> | ExportSource<A>,
  given: FollowOptions<NoInfer<A>>,
): Observable<SyncEvent> => {
  const {
    every = 10_000,
    prove = '02:00',
    ...options
  } = withoutPrototype(checkOptions(given, followRules))
  const { sweep = '30d', allowGone, timer = asyncScheduler } = options
  const pace: FollowPace = { every, prove: timeOfDay(prove), sweep, allowGone, timer }
  if (!('snapshot' in source)) {
    if (given.prove !== undefined) {
      throw new InvalidOption(
        'prove',
        'omitted, because only charges are compared with the service',
      )
    }
    return startSync(source, options, (transfer) => followList(transfer, source, pace))
  }
  const { ledger } = source
  if (ledger === undefined) throw new InvalidOption('source', 'payments.charges of a client')
  return startSync(source, { ...options, lookback: LOOKBACK }, (transfer, readsAll) =>
    followCharges(transfer, ledger, pace, readsAll),
  )
}
