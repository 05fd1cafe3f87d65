/** A destination, while one run has its lease. */
import { concat, NEVER, type Observable, type SchedulerLike } from 'rxjs'
import { defined } from '../../fp.js'
import { type Lease, type LeaseWait, takeLease } from '../../store/lease.js'
import type { Millis } from '../../stream/index.js'
import { newSyncState, readSyncState, type SyncState } from './SyncState.js'
import type { Step, SyncTarget } from './SyncTarget.js'

export interface SessionOptions<A> {
  readonly target: SyncTarget<A>
  readonly spec: SyncState['spec']
  readonly timer: SchedulerLike
  /** How long the lease lasts without a renewal. */
  readonly lease?: Millis | undefined
  /** Is told when another run has the lease, before this one waits for it to end. */
  readonly onWait: (wait: LeaseWait) => void
  /** Its first value ends that wait. */
  readonly stop?: Observable<unknown> | undefined
}

/** The name of the checkpoint in the store of a destination. */
const CHECKPOINT = 'checkpoint'

export class SyncSession<A> {
  readonly target: SyncTarget<A>
  /** The run that it found, which had not come to its end. */
  readonly found: SyncState['run']
  readonly #lease: Lease
  #state: SyncState

  private constructor(target: SyncTarget<A>, lease: Lease, state: SyncState) {
    this.target = target
    this.found = state.run
    this.#lease = lease
    this.#state = state
  }

  /** Takes the lease of a destination. Rejects with an `ExportError`, and closes the destination then. */
  static async begin<A>(options: SessionOptions<A>): Promise<SyncSession<A>> {
    const { target, spec, timer, lease: length, onWait } = options
    const { name, store } = target
    const stop = concat(options.stop ?? NEVER, NEVER) // one that completes has not stopped it
    let lease: Lease | undefined
    try {
      lease = await takeLease({ store, name: CHECKPOINT, path: name, length, timer, onWait, stop })
      const { state } = lease
      return new SyncSession(
        target,
        lease,
        state === undefined ? newSyncState(spec) : readSyncState(name, state, spec),
      )
    } catch (error) {
      await ended(target, lease)
      throw error
    }
  }

  /** How far the sync is. */
  get state(): SyncState {
    return this.#state
  }

  /** Its error says that a later run has taken over. */
  get lost(): Observable<never> {
    return this.#lease.lost
  }

  /** Writes rows, and keeps how far the sync is: both or none. Rejects with `Fenced` if a later run has taken over. */
  commit(rows: ReadonlyArray<A>, state: SyncState): Promise<void> {
    return this.#step({ kind: 'write', rows }, state)
  }

  /** Ends the run, as `SyncTarget` says. */
  finish(state: SyncState): Promise<void> {
    const { spec, rejected, since, upTo } = state
    const bounds = since === undefined || upTo === undefined ? undefined : { from: since, to: upTo }
    const summary = { spec, rejects: rejected.length, ...defined({ bounds }) }
    return this.#step({ kind: 'finish', summary }, state)
  }

  /** Releases the lease, and leaves the destination as it stands. May be called again. */
  close(): Promise<void> {
    return ended(this.target, this.#lease)
  }

  async #step(step: Step<A>, state: SyncState): Promise<void> {
    await this.#lease.commit(state, await this.target.through(step))
    this.#state = state
  }
}

/** A lease that cannot be released ends by itself. */
const ended = async (
  target: Pick<SyncTarget<never>, 'close'>,
  lease: Lease | undefined,
): Promise<void> => {
  await lease?.release().catch(() => {})
  await target.close()
}
