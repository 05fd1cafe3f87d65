/** The files that a run writes next to its input: outcomes, unpaid rows, and rows that are in no batch. */
import type { InvalidItem, PaymentOutcome } from '../../client/pay/PayOptions.js'
import { escapeInvisible, oneLine } from '../../decode/redact.js'
import { fieldsOf, parsed } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import { requestIdOf } from '../../http/retry/Outcome.js'
import { plural } from '../../report/text.js'
import { codeOf, type FileSystem, isError } from '../../store/FileSystem.js'
import { UsageError } from '../output.js'
import type { PayStep, Published } from './ending.js'
import { WHY } from './itemFields.js'
import { idOfRow, type PayFileOptions, rowsOf } from './payFile.js'
import { type Judge, PrivateFile } from './privateFile.js'

export class Results {
  readonly #beside: string
  readonly #file: PayFileOptions
  readonly #files: FileSystem
  readonly #outcomes: PrivateFile
  #written: Promise<void> = Promise.resolve()
  #count = 0
  /** Reasons by row index, or else by `request_id`. */
  readonly #byPlace = new Map<number, string>()
  readonly #byRequestId = new Map<string, string>()
  /** Rows that are in no batch because they were found to be invalid before anything was sent. */
  readonly #unsent: Array<InvalidItem> = []
  /** Numbers of the rows that are not among the payments made under the run's name. */
  #unpaid: ReadonlyArray<number> = []
  #isChecked = false

  /** `beside`: start of the paths of the files. */
  constructor(files: FileSystem, beside: string, file: PayFileOptions) {
    this.#beside = beside === file.run ? beside : `${beside}.${file.run}`
    this.#file = file
    this.#files = files
    this.#outcomes = this.#fileOf('outcomes.ndjson')
  }

  /** Rejects with a `UsageError` if files cannot be written there. */
  async tryOut(): Promise<void> {
    await this.#fileOf('outcomes.ndjson')
      .tryOut()
      .catch((error: unknown) => {
        const name = `${this.#beside}.outcomes.ndjson`
        throw new UsageError(
          `cannot write ${name} (${codeOf(error) ?? 'an error'}): nothing was sent`,
        )
      })
  }

  readonly note = (event: PayStep): void => {
    if (E.isLeft(event)) {
      if ('unpaid' in event.left) this.#unpaid = event.left.unpaid
      return
    }
    if (event.right._tag === 'Checked') this.#isChecked = true
    if (event.right._tag === 'Invalid') this.#noteInvalid(event.right.item)
    if (event.right._tag !== 'Settled') return
    const { outcomes } = event.right
    for (const { state, requestId, reason = '' } of outcomes) {
      if (state !== 'booked' && state !== 'unknown') this.#byRequestId.set(requestId, reason)
    }
    this.#count += outcomes.length
    this.#written = this.#written.then(() => this.#writeAll(outcomes))
  }

  /** Gives the files their final names. Never rejects, because payments may have been submitted, and that must be reported. */
  async publish(): Promise<Published> {
    const lines: Array<string> = []
    const problems: Array<string> = []
    const attempt = async (
      what: string,
      work: () => Promise<string | undefined>,
    ): Promise<void> => {
      try {
        const line = await work()
        if (line !== undefined) lines.push(line)
      } catch (error) {
        const reason = codeOf(error) ?? (isError(error) ? error.message : 'an error')
        problems.push(`${what} could not be written (${reason})`)
      }
    }
    await attempt('the outcomes', () => this.#publishOutcomes())
    const unwritten = await this.#outcomes.withdraw()
    await attempt('the rows that were not paid', () => this.#publishRejected())
    await attempt('the rows that are not in any batch', () => this.#publishUnpaid())
    const problem = problems.join(', ')
    return { lines, unwritten, ...(problem === '' ? {} : { problem }) }
  }

  /** Removes the file of outcomes. */
  async discard(): Promise<void> {
    await this.#written
    await this.#outcomes.withdraw()
  }

  #fileOf(name: string): PrivateFile {
    return new PrivateFile(this.#files, `${this.#beside}.${name}`)
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
    return this.#outcomes.add(escapeInvisible(JSON.stringify(row)))
  }

  async #publishOutcomes(): Promise<string | undefined> {
    await this.#written
    if (this.#count === 0) return undefined
    for (const item of this.#unsent) await this.#write(unsentRow(this.#file.run, item))
    const path = await this.#outcomes.publish(outcomesOf(this.#file.run))
    return `outcomes of ${plural(this.#count + this.#unsent.length, 'payment')}: ${path}`
  }

  async #publishRejected(): Promise<string | undefined> {
    if (this.#byPlace.size + this.#byRequestId.size === 0) return undefined
    const columns = [...(await this.#columns()), WHY]
    const lines = [csvLine(columns)]
    let place = 0
    for await (const { cells, item } of rowsOf(this.#file)) {
      const requestId = E.isRight(item) ? requestIdOf(item.right) : undefined
      const reason = this.#byPlace.get(place++) ?? this.#byRequestId.get(requestId ?? '')
      if (reason === undefined) continue
      lines.push(
        csvLine(
          columns.map((name) => (name === WHY ? noFormula(reason) : (cells.get(name) ?? ''))),
        ),
      )
    }
    const path = await this.#publishLines('rejected.csv', lines)
    return `${plural(lines.length - 1, 'row')} not paid, with reasons: ${path}`
  }

  async #publishUnpaid(): Promise<string | undefined> {
    if (this.#unpaid.length === 0) return undefined
    const places = new Set(this.#unpaid)
    const columns = await this.#columns()
    const lines = [csvLine(columns)]
    let place = 0
    for await (const { cells } of rowsOf(this.#file)) {
      if (places.has(place++)) lines.push(csvLine(columns.map((name) => cells.get(name) ?? '')))
    }
    const path = await this.#publishLines('unpaid.csv', lines)
    return `${plural(lines.length - 1, 'row')} not in any batch of ${this.#file.run}: ${path}`
  }

  /** Writes rows as they are in the input. Keeps an existing file, because the user may have corrected it since. */
  async #publishLines(name: string, lines: ReadonlyArray<string>): Promise<string> {
    const file = this.#fileOf(name)
    try {
      for (const line of lines) await file.add(line)
      return await file.publish(sameAs(lines))
    } finally {
      await file.withdraw()
    }
  }

  /** Returns all columns of the rows. In NDJSON, columns may differ from row to row. */
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

/** Returns the function that decides about an existing file of outcomes. Only later outcomes of the same run replace it. */
const outcomesOf =
  (run: string): Judge =>
  async ({ lines }) => {
    for await (const line of lines()) {
      const { request_id, batch, state } = fieldsOf(parsed(line))
      const isOfRun = batch === null || (typeof batch === 'string' && isBatchOf(run, batch))
      if (typeof request_id !== 'string' || typeof state !== 'string' || !isOfRun) return 'other'
    }
    return 'replace'
  }

const isBatchOf = (run: string, batch: string): boolean =>
  batch.startsWith(`${run}-`) && /^\d+$/.test(batch.slice(run.length + 1))

const sameAs =
  (all: ReadonlyArray<string>): Judge =>
  async ({ lines }) => {
    const expected = all.flatMap((line) => line.split('\n'))
    let at = 0
    for await (const line of lines()) if (line !== expected[at++]) return 'other'
    return at === expected.length ? 'same' : 'other'
  }

/** Masks a reason so that no spreadsheet treats it as a formula, because it may come from the platform. */
const noFormula = (reason: string): string => {
  const text = oneLine(reason)
  return /^[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text
}

const csvLine = (cells: ReadonlyArray<string>): string =>
  cells
    .map((cell) => (/[",;\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',')
