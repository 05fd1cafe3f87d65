/** Events of charges and batches over time, derived from their computed statuses. Their names are our assumption. */

import { BatchTransfer } from '../../codec/BatchTransfer.js'
import { Charge } from '../../codec/Charge.js'
import { Heap, HeapEntry } from '../../scheduler/Heap.js'
import type { SandboxBatch } from '../batches/Batch.js'
import { type BatchStep, batchTimeline } from '../batches/batchTimeline.js'
import { batchAt } from '../batches/batchView.js'
import { type CreatedCharge, chargeAt, chargeSteps } from '../data/createdCharges.js'
import type { Settings } from '../options.js'
import type { SandboxStore } from '../Store.js'

/** A change that is delivered to webhooks. */
export interface Happening {
  readonly name: string
  /** Time of the change, in ms since 1970. */
  readonly at: number
  /** The id of the connected account that the change is about, if any. */
  readonly source: string | undefined
  /** Returns the resource as it is at that time, in an API version. */
  readonly data: (version: string) => unknown
}

/** Pending changes, sorted by time. Changes at the same time are in the order in which they became known. */
export class Happenings {
  readonly #due = new Heap<() => void>()
  /** Number of the last emitted step, by batch. */
  readonly #published = new Map<number, number>()
  #order = 0
  readonly #store: SandboxStore
  readonly #settings: Settings
  readonly #onHappening: (happening: Happening) => void

  constructor(
    store: SandboxStore,
    settings: Settings,
    onHappening: (happening: Happening) => void,
  ) {
    this.#store = store
    this.#settings = settings
    this.#onHappening = onHappening
    store.createdCharges.onStored = (charge) => this.#chargeCreated(charge)
    store.batches.onStored = (batch, isNew) => {
      if (!this.#published.has(batch.n)) this.#published.set(batch.n, isNew ? -1 : 0)
      this.#at(settings.now(), () => this.#tellBatch(batch.n))
    }
  }

  /** The time of the next change, in ms since 1970; undefined if none is known. */
  get next(): number | undefined {
    return this.#due.first()?.rank
  }

  tellUntil(now: number): void {
    for (let first = this.#due.first(); first && first.rank <= now; first = this.#due.first()) {
      this.#due.remove(first)
      first.item()
    }
  }

  #at(at: number, work: () => void): void {
    const entry = new HeapEntry(work)
    entry.rank = at
    entry.order = this.#order++
    this.#due.add(entry)
  }

  #chargeCreated(charge: CreatedCharge): void {
    const settings = this.#settings
    const store = this.#store
    for (const { at, status } of chargeSteps(charge, settings)) {
      this.#at(at, () =>
        this.#onHappening({
          name: `charge.${status.toLowerCase()}`,
          at,
          source: charge.source,
          data: () =>
            Charge.encode(
              chargeAt({ now: at, generated: store.generatedCharges, settings }, charge),
            ),
        }),
      )
    }
  }

  /** Emits the steps of a batch. Reads its timeline again at each step, because calls may have changed it. */
  #tellBatch(n: number): void {
    const store = this.#store
    const settings = this.#settings
    const batch = store.batches.get(n)
    if (batch === undefined) return // the batch has been deleted
    const timeline = batchTimeline(batch, settings)
    const now = settings.now()
    let published = this.#published.get(n) ?? -1
    for (const [index, step] of timeline.entries()) {
      if (index <= published) continue
      if (step.at > now) {
        this.#at(step.at, () => this.#tellBatch(n))
        break
      }
      published = index
      this.#published.set(n, index)
      for (const name of batchEvents(timeline[index - 1], step))
        this.#tellStep(batch, name, step.at)
    }
  }

  #tellStep(batch: SandboxBatch, name: string, at: number): void {
    const settings = this.#settings
    this.#onHappening({
      name: `payout.batch_transfers.${name}`,
      at,
      source: undefined,
      data: (version) =>
        BatchTransfer.encode(batchAt(batch, { now: at, version, settings }, 'funding status')),
    })
  }
}

/** Returns the events of a step: the status if it has changed, and the funding once there is one. */
const batchEvents = (before: BatchStep | undefined, step: BatchStep): ReadonlyArray<string> => {
  const status = before?.status === step.status ? [] : [step.status.toLowerCase()]
  const isFunded = (one: BatchStep | undefined): boolean =>
    one !== undefined && !/^(DRAFTING|IN_APPROVAL|APPROVAL_)/.test(one.status)
  const isSame = before?.funding === step.funding && isFunded(before)
  const funding = isFunded(step) && !isSame ? [`funding.${step.funding.toLowerCase()}`] : []
  return [...status, ...funding]
}
