/** Rows that the service answers with 404, and the limit beyond which this counts as a fault of the service. */
import { fromDate } from '../codec/Instant.js'
import { plural } from '../decode/plural.js'
import { type StoreError, storeError } from '../store/StoreError.js'
import type { Millis } from '../stream/index.js'
import type { OpenCharge } from './KnownCharges.js'

/** Rows that were found gone together, and the number of rows known before. */
interface Gone {
  readonly gone: number
  readonly total: number
  /** True if none of the lists has shown a row. */
  readonly isEmpty: boolean
}

export interface AbsencesOptions {
  /** Names the table or stream in messages. */
  readonly name: string
  /** Number of missing rows that is accepted once, whatever their share of all rows. */
  readonly allowed: number | undefined
  readonly now: () => Millis
}

/** Result of a judgement: rows that are gone, or why they are kept. */
export interface Judged {
  readonly gone: ReadonlyArray<OpenCharge>
  readonly doubt?: StoreError
}

/** Number of rows that may always disappear, whatever their share of all rows. */
const FEW = 20

/** Share of all rows up to which more rows may disappear. */
const SHARE = 0.05

/** Period within which rows that are found missing are judged together. */
const DAY: Millis = 86_400_000

/** Returns true if suspiciously many rows are gone. The service may then have the wrong scope, account or data. */
const areTooMany = ({ gone, total, isEmpty }: Gone): boolean =>
  gone > 1 && (isEmpty || gone >= total || (gone > FEW && gone > total * SHARE))

/** Returns the reason why a number of missing rows is not accepted as gone. */
export const doubtOf = (name: string, rows: Gone, allowed = 0): StoreError | undefined =>
  rows.gone > allowed && areTooMany(rows) ? rowsGone(name, rows.gone, []) : undefined

/**
 * Returns the number of existing rows that a list lacks: by id, and at least the difference in number. `there`: the ids of the
 * existing rows, empty for a row without one; `seen`, `rows`: the ids and the number of the listed rows.
 */
export const countMissing = (
  there: ReadonlyArray<string>,
  seen: ReadonlySet<string>,
  rows: number,
): number => Math.max(there.length - rows, there.filter((id) => id !== '' && !seen.has(id)).length)

/** Creates the error for implausibly many missing rows. `times`: when they were created, in ms since 1970. */
const rowsGone = (name: string, rows: number, times: ReadonlyArray<Millis>): StoreError => {
  const known = times.filter((time) => !Number.isNaN(time))
  const at = (pick: (a: number, b: number) => number) =>
    known.length === 0 ? undefined : fromDate(new Date(known.reduce(pick)))
  const [oldest, newest] = [at((a, b) => Math.min(a, b)), at((a, b) => Math.max(a, b))]
  const span = oldest === undefined ? '' : ` created between ${oldest} and ${newest}`
  const message = `${name}: the service no longer returns ${plural(rows, 'known row')}${span}. That is implausibly many: check the account and its scopes. If the rows are really gone, set allowGone: ${rows} (--allow-gone ${rows})`
  return storeError('RowsGone', message, {
    path: name,
    rows,
    ...(oldest === undefined || newest === undefined ? {} : { oldest, newest }),
  })
}

/** Keeps missing rows until they are accepted as gone, or reappear. */
export class Absences {
  readonly held = new Map<string, OpenCharge>()
  readonly #options: AbsencesOptions
  #allowed: number
  #believed: ReadonlyArray<{ readonly at: Millis; readonly rows: number }> = []
  #told = 0

  constructor(options: AbsencesOptions) {
    this.#options = options
    this.#allowed = options.allowed ?? 0
  }

  hold(rows: Iterable<OpenCharge>): void {
    for (const row of rows) this.held.set(row.id, row)
  }

  /** Releases rows that reappeared. */
  came(rows: Iterable<{ readonly id: string }>): void {
    if (this.held.size > 0) for (const { id } of rows) this.held.delete(id)
  }

  /** Judges the missing rows. `total`: counts the known rows, including these. Reports a doubt once per number of rows. */
  async judge(total: () => Promise<number>, isEmpty: boolean): Promise<Judged> {
    const { name, now } = this.#options
    const rows = [...this.held.values()]
    if (rows.length === 0) {
      this.#told = 0
      return { gone: [] }
    }
    this.#believed = this.#believed.filter(({ at }) => at > now() - DAY)
    const before = this.#believed.reduce((sum, one) => sum + one.rows, 0)
    const gone = before + rows.length
    const isDoubtful = gone > 1 && areTooMany({ gone, total: before + (await total()), isEmpty })
    if (isDoubtful && rows.length > this.#allowed) {
      if (this.#told >= rows.length) return { gone: [] }
      this.#told = rows.length
      const times = rows.map(({ created }) => created * 1_000)
      return { gone: [], doubt: rowsGone(name, rows.length, times) }
    }
    if (isDoubtful) this.#allowed = 0
    else this.#believed = [...this.#believed, { at: now(), rows: rows.length }]
    this.held.clear()
    return { gone: rows }
  }
}
