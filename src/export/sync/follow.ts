/** A table kept current: a sync that goes on with polls, and proves its rows each day. */
import { asyncScheduler, type Observable } from 'rxjs'
import { withoutPrototype } from '../../fp.js'
import { checkOptions, InvalidOption, is, type OptionsTable } from '../../options/index.js'
import type { Millis } from '../../stream/index.js'
import type { ExportSource } from '../source/ExportSource.js'
import { followCharges } from './followCharges.js'
import { type FollowPace, followList } from './followList.js'
import {
  destinationKind,
  type SyncEvent,
  type SyncOptions,
  syncRules,
  type TimedSource,
  tableKind,
} from './SyncOptions.js'
import { startSync } from './sync.js'

/** Which table is kept current, and how often it is looked after. */
export interface FollowOptions<in A = unknown>
  extends Pick<
    SyncOptions<A>,
    | 'to'
    | 'table'
    | 'since'
    | 'sweep'
    | 'parallel'
    | 'maxRejects'
    | 'onReject'
    | 'lease'
    | 'stop'
    | 'account'
    | 'timer'
  > {
  /** From one poll to the next, in ms. Default 10,000. */
  readonly every?: Millis | undefined
  /** The time of day, in UTC, at which the table is proven: `HH:MM`. Default `02:00`. */
  readonly prove?: string | undefined
}

/** The time of day that a text says, in ms since midnight; NaN for another text. */
const timeOfDay = (text: string): Millis => {
  const [, hours = '', minutes = ''] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hours === '' ? Number.NaN : (Number(hours) * 60 + Number(minutes)) * 60_000
}

const { to, table, since, sweep, parallel, maxRejects, onReject, lease, stop, account, timer } =
  syncRules

const followRules: OptionsTable<FollowOptions<never>> = {
  ...{ to, table, since, sweep, parallel, maxRejects, onReject, lease, stop, account, timer },
  every: is.positiveFinite,
  prove: is.stringThat((text) => !Number.isNaN(timeOfDay(text)), 'a time of day such as 02:00'),
}

/** How far back a start reads: as far as polls do. Rows that came later are found by the proof. */
const LOOKBACK = 3_600_000

/**
 * Keeps a table current until it is stopped: catches up as `sync` does, with the lease and the state of one, and then
 * polls. `payments.charges` is read as by `changes`, with a proof and a sweep each day; other lists, such as
 * `payments.batchTransfers.list()`, are read whole in each poll.
 *
 * Emits its progress after each page; after a poll it has `upTo`, and after a proof `proof`. An outage is a `Left`, and the
 * stream goes on. One at the start, an error of the destination, or another owner of it (`Fenced`) are a `Left`, and the
 * end. Killed at any moment, the next call goes on. Throws an `InvalidOption` at once for an option that cannot work.
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
  const { to, sweep = '30d', timer = asyncScheduler } = options
  const isTable = typeof to !== 'string' || tableKind(to) !== undefined
  if (!isTable && destinationKind(to) !== undefined) {
    const why =
      'a database: each poll would write the files of a folder or bucket anew, so keep that by sync'
    throw new InvalidOption('to', why)
  }
  const pace: FollowPace = { every, prove: timeOfDay(prove), sweep, timer }
  if (!('snapshot' in source)) {
    if (given.prove !== undefined) {
      throw new InvalidOption('prove', 'left out: only charges are proven')
    }
    return startSync(source, options, (transfer) => followList(transfer, source, pace))
  }
  const { ledger } = source
  if (ledger === undefined) throw new InvalidOption('source', 'payments.charges, with its ledger')
  return startSync(source, { ...options, lookback: LOOKBACK }, (transfer, readsAll) =>
    followCharges(transfer, ledger, pace, readsAll),
  )
}
