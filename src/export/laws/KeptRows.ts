/** The rows of a night's steps. */
import type { CheckedRow } from './CheckedDestination.js'

/** Rows whose steps were saved, and rows that became visible, in one night, as far as can be observed. */
export class KeptRows {
  /** True if the steps of a run are visible. */
  isOfSteps = false
  /** Maximum size of the destination's own state, in bytes. */
  ownBytes = 0
  /** Rows of saved steps; `undefined` if no step was saved. */
  kept: ReadonlyArray<CheckedRow> | undefined
  /** Rows of steps that became visible. */
  shown: ReadonlyArray<CheckedRow> | undefined
  #given: ReadonlyArray<CheckedRow> = []
  #ready: ReadonlyArray<CheckedRow> | undefined

  /** Forgets rows that an earlier owner did not save. */
  opened(): void {
    this.isOfSteps = true
    this.#given = []
    this.#ready = undefined
  }

  wrote(rows: ReadonlyArray<CheckedRow>): void {
    this.#given = [...this.#given, ...rows]
  }

  prepared(own: unknown, isStep: boolean): void {
    this.ownBytes = Math.max(this.ownBytes, JSON.stringify(own ?? '').length)
    if (!isStep) return
    this.#ready = this.#given
    this.#given = []
  }

  keptState(): void {
    if (this.#ready === undefined) return
    this.kept = [...(this.kept ?? []), ...this.#ready]
    this.#ready = undefined
  }

  settled(): void {
    this.shown = this.kept
  }
}
