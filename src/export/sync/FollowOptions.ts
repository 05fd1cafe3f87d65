import type { SchedulerLike } from 'rxjs'
import { is, type OptionsTable } from '../../options/index.js'
import type { Millis } from '../../stream/index.js'
import { type Sweep, type SyncOptions, syncRules } from './SyncOptions.js'

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

/** How often a table is looked after. */
export interface FollowPace {
  readonly every: Millis
  /** Time of day of the proof, in ms since midnight, UTC. */
  readonly prove: Millis
  readonly sweep: Sweep
  readonly timer: SchedulerLike
}

/** The time of day that a text says, in ms since midnight; NaN for another text. */
export const timeOfDay = (text: string): Millis => {
  const [, hours = '', minutes = ''] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? []
  return hours === '' ? Number.NaN : (Number(hours) * 60 + Number(minutes)) * 60_000
}

const { to, table, since, sweep, parallel, maxRejects, onReject, lease, stop, account, timer } =
  syncRules

export const followRules: OptionsTable<FollowOptions<never>> = {
  ...{ to, table, since, sweep, parallel, maxRejects, onReject, lease, stop, account, timer },
  every: is.positiveFinite,
  prove: is.stringThat((text) => !Number.isNaN(timeOfDay(text)), 'a time of day such as 02:00'),
}
