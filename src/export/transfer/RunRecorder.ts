/**
 * Counts of a run over all its starts: rows, requests, time, drift (fields and values that no codec describes), totals, and
 * reasons for rejected rows.
 */
import type { SchedulerLike, Subscription } from 'rxjs'
import { withoutPrototype, withoutUndefined } from '../../fp.js'
import type { ListDescription } from '../../http/list/List.js'
import type { Millis } from '../../stream/index.js'
import { steadyTimer } from '../../stream/steadyTimer.js'
import type { Progress } from '../source/exportList.js'
import type { SourcePage } from '../source/SourcePage.js'
import type { Reject } from '../source/sortPage.js'
import { addReasons, Totals } from './Totals.js'
import {
  addFacts,
  type Counts,
  NOTHING,
  plus,
  type RunState,
  type TimeBounds,
} from './TransferState.js'

/** The client of a run, whose requests and drift are counted. */
export type CountedClient = Pick<
  ListDescription<unknown>,
  'drift' | 'events' | 'perSecond' | 'serviceTime'
>

export class RunRecorder {
  /** Time range of the rows to read, once known. */
  bounds: TimeBounds | undefined
  /** Time of creation of the newest row, in ms since 1970, if requested. */
  newest: Millis | undefined
  readonly #before: RunState | undefined
  readonly #counts: Counts
  readonly #client: CountedClient
  readonly #steady: SchedulerLike
  readonly #beganAt: number
  readonly #localTime: number
  readonly #totals: Totals
  readonly #watching: Subscription
  #started: string | undefined
  #slices: Counts['slices']
  #reasons: Required<RunState>['reasons']
  #requests = 0
  #refused = 0

  constructor(client: CountedClient, timer: SchedulerLike, before: RunState | undefined) {
    this.#client = client
    this.#before = before
    this.#counts = before?.counts ?? NOTHING
    this.#steady = steadyTimer(timer)
    this.#beganAt = this.#steady.now()
    this.#localTime = timer.now()
    this.#started = before?.started
    this.#slices = this.#counts.slices
    this.#totals = new Totals(before?.totals)
    this.#reasons = before?.reasons ?? []
    this.bounds = before?.bounds
    this.newest = before?.newest
    this.#watching = client.events.subscribe((event) => {
      if (event._tag !== 'Answered') return
      this.#requests++
      if (event.status === 429) this.#refused++
    })
  }

  rows(rows: ReadonlyArray<unknown>, { slice }: Pick<SourcePage<unknown>, 'slice'> = {}): void {
    this.#totals.add(rows)
    if (slice === undefined || slice.left.from < slice.left.to) return
    this.#slices = [...this.#slices, { from: slice.from, to: slice.to, rows: slice.rows }]
  }

  rejects(rows: ReadonlyArray<Pick<Reject, 'reason'>>): void {
    this.#reasons = addReasons(this.#reasons, rows)
  }

  /** Adds the counts of earlier starts of the run. */
  total(progress: Progress): Progress {
    const { repeated, ...counts } = plus(this.#counts, progress)
    return { ...progress, ...counts, ...(repeated === 0 ? {} : { repeated }) }
  }

  /** Returns the run state that belongs to the given progress. `keys`: number of saved keys. */
  at(progress: Progress, keys?: number): RunState {
    const { next, share } = progress
    const totals = this.#totals.values()
    return {
      started: this.started(),
      counts: { ...plus(this.#counts, progress), slices: this.#slices, ...this.#effort() },
      drift: addFacts(this.#before?.drift ?? [], this.#client.drift()),
      ...(totals.length === 0 ? {} : { totals }),
      ...(this.#reasons.length === 0 ? {} : { reasons: this.#reasons }),
      ...withoutUndefined({
        bounds: this.bounds,
        newest: this.newest,
        position: next,
        share,
        keys,
      }),
    }
  }

  /** Returns the last saved state plus the time and requests used since, for example while waiting for the service. */
  upToNow(kept: RunState): RunState {
    return { ...kept, counts: { ...kept.counts, ...this.#effort() } }
  }

  ended(kept: RunState): RunState {
    const { position: _, ...run } = withoutPrototype(this.upToNow(kept))
    return run
  }

  /** Returns the service's time if it is known, so that a later run continues from it whatever the local clock shows. */
  started(): string {
    const now = this.#client.serviceTime()
    const ms = now === undefined ? this.#localTime : now - (this.#steady.now() - this.#beganAt)
    this.#started ??= new Date(ms).toISOString()
    return this.#started
  }

  close(): void {
    this.#watching.unsubscribe()
  }

  #effort(): Pick<Counts, 'requests' | 'refused' | 'ms' | 'starts'> {
    return {
      requests: this.#counts.requests + this.#requests,
      refused: this.#counts.refused + this.#refused,
      // the caller's clock may have been set back
      ms: this.#counts.ms + Math.max(0, this.#steady.now() - this.#beganAt),
      starts: this.#counts.starts + 1,
    }
  }
}
