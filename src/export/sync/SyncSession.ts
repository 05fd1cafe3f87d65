/** A destination with its checkpoint, while one run owns it. */
import { exportError } from '../ExportError.js'
import { newSyncState, readSyncState, type SyncState, showSyncState } from './SyncState.js'
import type { Step, SyncTarget } from './SyncTarget.js'

/** The name of the checkpoint in the store of a destination. */
const CHECKPOINT = 'checkpoint'

export class SyncSession<A> {
  readonly target: SyncTarget<A>
  /** The run that it found, which had not come to its end. */
  readonly found: SyncState['run']
  private current: SyncState
  private version: string

  private constructor(target: SyncTarget<A>, state: SyncState, version: string) {
    this.target = target
    this.found = state.run
    this.current = state
    this.version = version
  }

  /** Shuts out whoever owned the destination before. Rejects with an `ExportError`, and closes the target then. */
  static async begin<A>(target: SyncTarget<A>, spec: SyncState['spec']): Promise<SyncSession<A>> {
    try {
      const found = await target.store.read(CHECKPOINT)
      const state =
        found === undefined ? newSyncState(spec) : readSyncState(target.name, found.text, spec)
      const version = await target
        .through({ kind: 'begin' })
        .replace(CHECKPOINT, showSyncState(state), found?.version)
      if (version === undefined) throw fenced(target)
      return new SyncSession(target, state, version)
    } catch (error) {
      await target.close()
      throw error
    }
  }

  /** How far the sync is. */
  get state(): SyncState {
    return this.current
  }

  /** Writes rows, and keeps how far the sync is: both or none. Rejects with `Fenced` if a later run has taken over. */
  commit(rows: ReadonlyArray<A>, state: SyncState): Promise<void> {
    return this.step(state, { kind: 'write', rows })
  }

  /** Ends the run, as `SyncTarget` says. */
  finish(): Promise<void> {
    return this.step(this.current, { kind: 'finish' })
  }

  /** Leaves the destination as it stands. May be called again. */
  close(): Promise<void> {
    return this.target.close()
  }

  private async step(state: SyncState, step: Step<A>): Promise<void> {
    const version = await this.target
      .through(step)
      .replace(CHECKPOINT, showSyncState(state), this.version)
    if (version === undefined) throw fenced(this.target)
    this.current = state
    this.version = version
  }
}

const fenced = ({ name }: Pick<SyncTarget<never>, 'name'>) =>
  exportError('Fenced', `${name} is written by a later run, which has taken over: this one ends`, {
    path: name,
  })
