/** The files that a run leaves beside its input: outcomes, and rows that were not paid. */
import { rm } from 'node:fs/promises'
import type { PayFailure } from '../../client/pay/PayFailure.js'
import type { InvalidItem, PayEvent, PaymentOutcome } from '../../client/pay/PayOptions.js'
import { E } from '../../fp.js'
import { requestIdOf } from '../../http/retry/Outcome.js'
import { number, plural } from '../../report/text.js'
import { WHY } from './itemFields.js'
import { idOfRow, type PayFileOptions, rowsOf } from './payFile.js'
import { PrivateFile } from './privateFile.js'

export class Results {
  readonly #outcomesPath: string
  readonly #rejectedPath: string
  readonly #file: PayFileOptions
  readonly #outcomes: PrivateFile
  #written: Promise<void> = Promise.resolve()
  #count = 0
  /** Reasons by the place of a row, and by `request_id`. */
  readonly #byPlace = new Map<number, string>()
  readonly #byRequestId = new Map<string, string>()
  /** Rows that are in no batch: they were found invalid before anything was sent. */
  readonly #unsent: Array<InvalidItem> = []
  #isChecked = false

  constructor(beside: string, file: PayFileOptions) {
    this.#outcomesPath = `${beside}.outcomes.ndjson`
    this.#rejectedPath = `${beside}.rejected.csv`
    this.#file = file
    this.#outcomes = new PrivateFile(this.#outcomesPath)
  }

  readonly note = (event: E.Either<PayFailure, PayEvent>): void => {
    if (E.isLeft(event)) return
    if (event.right._tag === 'Checked') this.#isChecked = true
    if (event.right._tag === 'Invalid') this.#noteInvalid(event.right.item)
    if (event.right._tag !== 'Settled') return
    const { outcomes } = event.right
    for (const { state, requestId, reason = '' } of outcomes) {
      if (state !== 'booked' && state !== 'unknown') this.#byRequestId.set(requestId, reason)
    }
    this.#count += outcomes.length
    this.#written = this.#written.then(() => this.#writeAll(outcomes))
    this.#written.catch(() => {}) // reported by `publish`
  }

  /**
   * Puts the files in their places; resolves with lines that say where they are. A run that is not `isWhole` leaves the
   * rejected rows of an earlier one: it has not seen all.
   */
  async publish({ isWhole }: { readonly isWhole: boolean }): Promise<ReadonlyArray<string>> {
    await this.#written
    const lines: Array<string> = []
    if (this.#count > 0) {
      for (const item of this.#unsent) await this.#write(unsentRow(this.#file.run, item))
      await this.#outcomes.publish()
      lines.push(
        `outcomes of ${plural(this.#count + this.#unsent.length, 'payment')}: ${this.#outcomesPath}`,
      )
    }
    const rejected = await this.#reject(isWhole)
    if (rejected > 0)
      lines.push(`${number(rejected)} not paid, with reasons: ${this.#rejectedPath}`)
    return lines
  }

  /** Leaves nothing behind. */
  async discard(): Promise<void> {
    await this.#written.catch(() => {})
    await this.#outcomes.discard()
  }

  #noteInvalid(item: InvalidItem): void {
    const { index, requestId, reasons } = item
    if (!this.#isChecked) this.#unsent.push(item)
    const reason = reasons.join(', ')
    if (index !== undefined) this.#byPlace.set(index, reason)
    else if (requestId !== undefined) this.#byRequestId.set(requestId, reason)
  }

  async #writeAll(outcomes: ReadonlyArray<PaymentOutcome>): Promise<void> {
    for (const { requestId, batch, batchId, state, transferId, reason } of outcomes) {
      await this.#write({
        request_id: requestId,
        batch,
        batch_id: batchId,
        state,
        transfer_id: transferId ?? null,
        reason: reason ?? null,
      })
    }
  }

  #write(row: OutcomeRow): Promise<void> {
    return this.#outcomes.add(JSON.stringify(row))
  }

  /** Reads the file once more for the rows that were not paid, and writes them as they are. */
  async #reject(isWhole: boolean): Promise<number> {
    if (this.#byPlace.size + this.#byRequestId.size === 0) {
      if (isWhole) await rm(this.#rejectedPath, { force: true }) // that of an earlier run, since mended
      return 0
    }
    const columns = await this.#columns()
    const rejected = new PrivateFile(this.#rejectedPath)
    await rejected.add(csvLine([...columns, WHY]))
    let place = 0
    let count = 0
    for await (const { cells, item } of rowsOf(this.#file)) {
      const requestId = E.isRight(item) ? requestIdOf(item.right) : undefined
      const reason = this.#byPlace.get(place++) ?? this.#byRequestId.get(requestId ?? '')
      if (reason === undefined) continue
      count++
      await rejected.add(csvLine([...columns.map((name) => cells.get(name) ?? ''), reason]))
    }
    await rejected.publish()
    return count
  }

  /** All columns of the rows; those of NDJSON may differ from row to row. */
  async #columns(): Promise<ReadonlyArray<string>> {
    const names = new Set<string>()
    for await (const { cells } of rowsOf(this.#file)) {
      for (const name of cells.keys()) names.add(name)
      if (this.#file.format !== 'ndjson') break
    }
    names.delete(WHY)
    return [...names]
  }
}

/** A line of the file of outcomes. */
interface OutcomeRow {
  readonly request_id: string
  readonly batch: string | null
  readonly batch_id: string | null
  readonly state: PaymentOutcome['state']
  readonly transfer_id: string | null
  readonly reason: string | null
}

const unsentRow = (run: string, { index = 0, requestId, reasons }: InvalidItem): OutcomeRow => ({
  request_id: requestId ?? idOfRow(run, index + 1),
  batch: null,
  batch_id: null,
  state: 'left out',
  transfer_id: null,
  reason: reasons.join(', '),
})

const csvLine = (cells: ReadonlyArray<string>): string =>
  cells
    .map((cell) => (/[",;\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')
