/**
 * A folder's rows by time and status, for the proof (the comparison of counts) that none is missing.
 *
 *     files       |---- 9,000 SETTLED ----|---- 8,800 SETTLED, 200 FAILED ----|----      sorted, without an overlap
 *     stretch                  from |================================| to
 *                              read, counted                   read, counted             files at its ends
 *                                         known by the state                             files within
 *
 * The state has each file's number of rows per status, so a count reads at most two files, however many there are. A run first
 * merges the rows that it has read into the files. While counting, it keeps its few changes in memory: rows that were late, are
 * gone, or had a different status.
 */
import type { OpenCharge } from '../../changes/KnownCharges.js'
import type { Seconds, Stretch } from '../../changes/Ledger.js'
import type { Counted } from '../../changes/proof/Counting.js'
import { countIn, type StatusCounts } from '../../changes/proof/ProofTable.js'
import type { CountedRows, PlacedRow, RowVersion } from '../transfer/Destination.js'
import type { Piece } from './FolderState.js'
import type { Batches } from './mergeRows.js'
import { type PieceRow, pieceRow } from './PieceRow.js'
import { type GoneRow, rowsOf } from './pieces.js'

interface CountedPiecesOptions<C> {
  /** The files of current rows. */
  readonly pieces: () => ReadonlyArray<Piece>
  readonly read: (piece: Piece) => Batches<C>
}

/** The rows of a file that are not gone, in file order. Takes 10 bytes per row. */
interface PieceIndex {
  readonly seconds: Float64Array
  /** The status of each row, as an index into `names`. */
  readonly statuses: Uint16Array
  readonly names: ReadonlyArray<string>
}

/** A row that differs from the files, with its time of creation. */
interface ChangedRow extends PlacedRow {
  /** The row's version in the files; absent if they do not have the row. */
  readonly was: RowVersion | undefined
  /** The row's next version; absent if the row is gone, or now has a different time. */
  readonly is: RowVersion | undefined
}

const keyOf = ({ id, created }: PlacedRow): string => `${created} ${id}`

/** Number of files whose rows are cached. Each takes about 2 MB. */
const KNOWN = 16

const MICROS = 1_000_000

export class CountedPieces<C> {
  readonly #options: CountedPiecesOptions<C>
  readonly #indices = new Map<string, PieceIndex>() // the most recently used file is last
  /** Changed rows by time and id. */
  readonly #changes = new Map<string, ChangedRow>()
  /** Versions found by the last lookup, for the rows that are written next. */
  #known: ReadonlyMap<string, RowVersion | undefined> = new Map()
  #open: ReadonlyMap<string, RowVersion> = new Map()
  #written: Array<PieceRow> = []
  #hasBegun = false

  constructor(options: CountedPiecesOptions<C>) {
    this.#options = options
  }

  /** Starts remembering changes. From now on, all earlier rows are in the files. */
  begin(): void {
    this.#hasBegun = true
    this.#changes.clear()
  }

  /** Remembers rows that will be in the files. */
  written(rows: ReadonlyArray<unknown>): void {
    if (this.#hasBegun) for (const row of rows) this.#written.push(pieceRow(row, undefined))
  }

  /** Returns the countable rows; `leave` marks rows as gone. */
  rows(leave: (rows: ReadonlyArray<GoneRow>) => void): CountedRows {
    return {
      counts: (stretches) => this.#counts(stretches),
      nth: (rows, n) => this.#nth(rows, n),
      find: (rows) => this.#find(rows),
      versions: (rows) => this.#versions(rows),
      markGone: async (rows, at) => leave(await this.#without(rows, at * MICROS_A_MILLI)),
      moved: async (rows) => leave(await this.#without(rows, Number.POSITIVE_INFINITY)),
    }
  }

  /** Reads existing rows that have none of the given statuses. */
  async open(final: ReadonlyArray<string>): Promise<ReadonlyArray<OpenCharge>> {
    const isFinal = new Set(final)
    const pieces = this.#options
      .pieces()
      .filter(({ statuses }) => Object.keys(statuses).some((status) => !isFinal.has(status)))
    const open: Array<OpenCharge> = []
    const versions = new Map<string, RowVersion>()
    for await (const row of rowsOf(pieces, this.#options.read)) {
      if (row.gone > 0 || isFinal.has(row.status)) continue
      const version = versionIn(row)
      open.push({ id: row.id, ...version })
      versions.set(row.id, version)
    }
    this.#open = versions
    return open
  }

  // counts

  async #counts(stretches: ReadonlyArray<Stretch>): Promise<ReadonlyArray<StatusCounts>> {
    await this.#settle()
    const all: Array<StatusCounts> = []
    for (const stretch of stretches) {
      const counts = new Map<string, number>()
      const add = (status: string, rows: number) =>
        counts.set(status, (counts.get(status) ?? 0) + rows)
      for (const piece of this.#around(stretch)) {
        for (const [status, rows] of await this.#countsIn(piece, stretch)) add(status, rows)
      }
      for (const { created, was, is } of this.#changes.values()) {
        if (!isWithin(stretch, created)) continue
        if (is !== undefined) add(is.status, 1)
        if (was !== undefined) add(was.status, -1)
      }
      all.push(counts)
    }
    return all
  }

  async #countsIn(piece: Piece, stretch: Stretch): Promise<StatusCounts> {
    if (isInside(piece, stretch)) return new Map(Object.entries(piece.statuses))
    const counts = new Map<string, number>()
    await this.#each(piece, stretch, (_, status) => {
      counts.set(status, (counts.get(status) ?? 0) + 1)
      return true
    })
    return counts
  }

  /** Uses only the files, because the result decides where ranges are divided, not how many rows they have. */
  async #nth(rows: Counted, n: number): Promise<Seconds | undefined> {
    let before = 0
    for (const piece of this.#around(rows)) {
      const count = countIn(await this.#countsIn(piece, rows), rows.status)
      if (before + count > n) {
        let found: Seconds | undefined
        await this.#each(piece, rows, (second) => {
          found = second
          return before++ < n
        })
        return found
      }
      before += count
    }
    return undefined
  }

  /** Calls `visit` for the rows of a file that are counted, until it returns false. */
  async #each(
    piece: Piece,
    rows: Counted,
    visit: (second: Seconds, status: string) => boolean,
  ): Promise<void> {
    const { seconds, statuses, names } = await this.#index(piece)
    const wanted = rows.status === undefined ? undefined : names.indexOf(rows.status)
    for (let i = 0; i < seconds.length; i++) {
      const second = seconds[i] ?? 0
      if (second > rows.to) return
      if (second < rows.from || (wanted !== undefined && statuses[i] !== wanted)) continue
      if (!visit(second, names[statuses[i] ?? 0] ?? '')) return
    }
  }

  async #index(piece: Piece): Promise<PieceIndex> {
    const known = this.#indices.get(piece.path)
    const index = known ?? (await this.#read(piece))
    this.#indices.delete(piece.path)
    this.#indices.set(piece.path, index)
    const [oldest] = this.#indices.keys()
    if (this.#indices.size > KNOWN && oldest !== undefined) this.#indices.delete(oldest)
    return index
  }

  async #read(piece: Piece): Promise<PieceIndex> {
    const total = piece.rows - (piece.gone ?? 0)
    const seconds = new Float64Array(total)
    const statuses = new Uint16Array(total)
    const names = Object.keys(piece.statuses)
    const places = new Map(names.map((name, place) => [name, place]))
    let i = 0
    for await (const { created, status, gone } of rowsOf([piece], this.#options.read)) {
      if (gone > 0) continue
      seconds[i] = secondOf(created)
      statuses[i++] = places.get(status) ?? 0
    }
    return { seconds, statuses, names }
  }

  #around({ from, to }: Stretch): ReadonlyArray<Piece> {
    return this.#options
      .pieces()
      .filter((piece) => secondOf(piece.to) >= from && secondOf(piece.from) <= to)
  }

  // rows by id

  async #find(rows: Counted): Promise<ReadonlyArray<OpenCharge>> {
    await this.#settle()
    const found: Array<OpenCharge> = []
    for await (const row of rowsOf(this.#around(rows), this.#options.read)) {
      const placed = { id: row.id, ...versionIn(row) }
      const isHere = row.gone === 0 && isWithin(rows, placed.created) && isOf(rows, row)
      if (isHere && !this.#changes.has(keyOf(placed))) found.push(placed)
    }
    for (const { id, created, is } of this.#changes.values()) {
      if (is !== undefined && isWithin(rows, created) && isOf(rows, is)) found.push({ id, ...is })
    }
    return found
  }

  async #versions(rows: ReadonlyArray<PlacedRow>): Promise<ReadonlyMap<string, RowVersion>> {
    await this.#settle()
    const openAt = ({ id, created }: PlacedRow): RowVersion | undefined => {
      const open = this.#open.get(id)
      return open?.created === created ? open : undefined
    }
    const known = await this.#lookUp(
      rows.filter((row) => !this.#changes.has(keyOf(row)) && openAt(row) === undefined),
    )
    const versions = new Map<string, RowVersion>()
    for (const row of rows) {
      const change = this.#changes.get(keyOf(row))
      const open = openAt(row)
      if (open !== undefined) known.set(row.id, open)
      const version = change === undefined ? known.get(row.id) : change.is
      if (version !== undefined) versions.set(row.id, version)
    }
    this.#known = known
    return versions
  }

  /** Looks up rows in the files. `undefined`: a row that is gone, or that the files do not have at that time. */
  async #lookUp(rows: ReadonlyArray<PlacedRow>): Promise<Map<string, RowVersion | undefined>> {
    const found = new Map<string, RowVersion | undefined>(rows.map(({ id }) => [id, undefined]))
    const places = new Set(rows.map(keyOf))
    const pieces = this.#options
      .pieces()
      .filter((piece) =>
        rows.some(
          ({ created }) => secondOf(piece.from) <= created && created <= secondOf(piece.to),
        ),
      )
    for await (const row of rowsOf(pieces, this.#options.read)) {
      const version = versionIn(row)
      if (row.gone === 0 && places.has(keyOf({ id: row.id, ...version }))) {
        found.set(row.id, version)
      }
    }
    return found
  }

  /** Compares the written rows with those of the files. */
  async #settle(): Promise<void> {
    const written = this.#written.map((row) => ({ id: row.id, ...versionIn(row) }))
    this.#written = []
    const unknown = written.filter(
      (row) => !this.#changes.has(keyOf(row)) && !this.#known.has(row.id),
    )
    const found = await this.#lookUp(unknown)
    for (const { id, ...is } of written) {
      const key = keyOf({ id, ...is })
      const before = this.#changes.get(key)
      const was = before === undefined ? (this.#known.get(id) ?? found.get(id)) : before.was
      this.#changes.set(key, { id, created: is.created, was, is })
      if (was?.status === is.status && was.updated === is.updated) this.#changes.delete(key)
    }
  }

  /** Creates marks for those rows that exist. `at`: time in µs since 1970. */
  async #without(rows: ReadonlyArray<PlacedRow>, at: number): Promise<ReadonlyArray<GoneRow>> {
    await this.#settle()
    const found = await this.#lookUp(rows)
    return rows.flatMap(({ id, created }) => {
      const key = keyOf({ id, created })
      const change = this.#changes.get(key)
      const was = change === undefined ? found.get(id) : change.was
      if (was === undefined && change?.is === undefined) return []
      this.#changes.set(key, { id, created, was, is: undefined })
      return { id, parent: '', created: created * MICROS, at }
    })
  }
}

const MICROS_A_MILLI = 1_000

const versionIn = ({ status, created, updated }: PieceRow): RowVersion => ({
  status,
  created: secondOf(created),
  updated: updated / MICROS_A_MILLI,
})

const secondOf = (micros: number): Seconds => Math.floor(micros / MICROS)

const isInside = (piece: Piece, { from, to }: Stretch): boolean =>
  secondOf(piece.from) >= from && secondOf(piece.to) <= to

const isWithin = ({ from, to }: Stretch, second: Seconds): boolean => second >= from && second <= to

const isOf = ({ status }: Counted, version: Pick<RowVersion, 'status'> | undefined): boolean =>
  version !== undefined && (status === undefined || version.status === status)
