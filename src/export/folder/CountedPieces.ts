/**
 * The rows of a folder by time and status, for the proof that none is missing.
 *
 *     files       |---- 9,000 SETTLED ----|---- 8,800 SETTLED, 200 FAILED ----|----      sorted, without an overlap
 *     stretch                  from |================================| to
 *                              read, counted                   read, counted             files at its ends
 *                                         known by the state                             files within
 *
 * The state says how many rows of each status a file has, so a count reads two files at most, however many there are. A
 * run merges what it has read into the files before it counts, and remembers what it changes from then on, which is
 * little: rows that were late, or gone, or whose status was another.
 */
import type { OpenCharge } from '../../changes/KnownCharges.js'
import type { Seconds, Stretch } from '../../changes/Ledger.js'
import type { Counted } from '../../changes/proof/Counting.js'
import { countIn, type StatusCounts } from '../../changes/proof/ProofTable.js'
import type { Millis } from '../../stream/index.js'
import type { CountedRows, PlacedRow, RowVersion } from '../transfer/Destination.js'
import type { Piece } from './FolderState.js'
import type { Batches } from './mergeRows.js'
import { type PieceRow, pieceRow } from './PieceRow.js'
import { type GoneRow, rowsOf } from './pieces.js'

// model

interface CountedPiecesOptions<C> {
  /** The files of current rows. */
  readonly pieces: () => ReadonlyArray<Piece>
  readonly read: (piece: Piece) => Batches<C>
}

/** The rows of a file that are there, in their order: 10 bytes each. */
interface PieceIndex {
  readonly seconds: Float64Array
  /** The status of each, by its place in `names`. */
  readonly statuses: Uint16Array
  readonly names: ReadonlyArray<string>
}

/** A row that is another than in the files. */
interface ChangedRow extends Pick<PieceRow, 'created'> {
  /** As the files have it; absent if they do not. */
  readonly was: RowVersion | undefined
  /** As it will be; absent if it is gone. */
  readonly is: RowVersion | undefined
}

/** Files whose rows are known at a time: some 2 MB each. */
const KNOWN = 16

const MICROS = 1_000_000

// constructors

export class CountedPieces<C> {
  readonly #options: CountedPiecesOptions<C>
  readonly #indices = new Map<string, PieceIndex>() // the one that was used last is the last
  readonly #changes = new Map<string, ChangedRow>()
  /** Versions that were looked up last, for the rows that are written after that. */
  #known: ReadonlyMap<string, RowVersion | undefined> = new Map()
  #open: ReadonlyMap<string, RowVersion> = new Map()
  #written: Array<PieceRow> = []
  #hasBegun = false

  constructor(options: CountedPiecesOptions<C>) {
    this.#options = options
  }

  /** All rows are in the files: from now on, changes are remembered. */
  begin(): void {
    this.#hasBegun = true
    this.#changes.clear()
  }

  /** Remembers rows that will be in the files. */
  written(rows: ReadonlyArray<unknown>): void {
    if (this.#hasBegun) for (const row of rows) this.#written.push(pieceRow(row, undefined))
  }

  /** The rows, and their marks by `leave`. */
  rows(leave: (rows: ReadonlyArray<GoneRow>) => void): CountedRows {
    return {
      counts: (stretches) => this.#counts(stretches),
      nth: (rows, n) => this.#nth(rows, n),
      ids: (rows) => this.#ids(rows),
      versions: (rows) => this.#versions(rows),
      markGone: async (ids, at, within) => leave(await this.#markGone(ids, at, within)),
    }
  }

  /** Reads the rows that are there and have none of some statuses. */
  async open(final: ReadonlyArray<string>): Promise<ReadonlyArray<OpenCharge>> {
    const isFinal = new Set(final)
    const pieces = this.#options
      .pieces()
      .filter(({ statuses }) => Object.keys(statuses).some((status) => !isFinal.has(status)))
    const open: Array<OpenCharge> = []
    const versions = new Map<string, RowVersion>()
    for await (const { id, status, created, updated, gone } of rowsOf(pieces, this.#options.read)) {
      if (gone > 0 || isFinal.has(status)) continue
      const version = { status, updated: updated / 1_000 }
      open.push({ id, created: secondOf(created), ...version })
      versions.set(id, version)
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
        if (!isWithin(stretch, secondOf(created))) continue
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

  /** By the files alone: it decides where stretches are cut, not how many rows they have. */
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

  // rows by their ids

  async #ids(rows: Counted): Promise<ReadonlyArray<string>> {
    await this.#settle()
    const ids: Array<string> = []
    const changes = [...this.#changes].filter(
      ([, { created, is }]) => isWithin(rows, secondOf(created)) && isOf(rows, is),
    )
    for await (const row of rowsOf(this.#around(rows), this.#options.read)) {
      const isHere = row.gone === 0 && isWithin(rows, secondOf(row.created)) && isOf(rows, row)
      if (isHere && !this.#changes.has(row.id)) ids.push(row.id)
    }
    return [...ids, ...changes.map(([id]) => id)]
  }

  async #versions(rows: ReadonlyArray<PlacedRow>): Promise<ReadonlyMap<string, RowVersion>> {
    await this.#settle()
    const known = await this.#lookUp(
      rows.filter(({ id }) => !this.#changes.has(id) && !this.#open.has(id)),
    )
    const versions = new Map<string, RowVersion>()
    for (const { id } of rows) {
      const change = this.#changes.get(id)
      const open = this.#open.get(id)
      if (open !== undefined) known.set(id, open)
      const version = change === undefined ? known.get(id) : change.is
      if (version !== undefined) versions.set(id, version)
    }
    this.#known = known
    return versions
  }

  /** Looks rows up in the files; undefined for one that they do not have, or that is gone. */
  async #lookUp(rows: ReadonlyArray<PlacedRow>): Promise<Map<string, RowVersion | undefined>> {
    const found = new Map<string, RowVersion | undefined>(rows.map(({ id }) => [id, undefined]))
    const pieces = this.#options
      .pieces()
      .filter((piece) =>
        rows.some(
          ({ created }) => secondOf(piece.from) <= created && created <= secondOf(piece.to),
        ),
      )
    for await (const { id, status, updated, gone } of rowsOf(pieces, this.#options.read)) {
      if (gone === 0 && found.has(id)) found.set(id, { status, updated: updated / 1_000 })
    }
    return found
  }

  /** Compares rows that were written with those of the files. */
  async #settle(): Promise<void> {
    const written = this.#written
    this.#written = []
    const unknown = written.filter(({ id }) => !this.#changes.has(id) && !this.#known.has(id))
    const found = await this.#lookUp(
      unknown.map(({ id, created }) => ({ id, created: secondOf(created) })),
    )
    for (const { id, created, status, updated } of written) {
      const before = this.#changes.get(id)
      const was = before === undefined ? (this.#known.get(id) ?? found.get(id)) : before.was
      const is = { status, updated: updated / 1_000 }
      this.#changes.set(id, { created, was, is })
      if (was?.status === status && was.updated === is.updated) this.#changes.delete(id)
    }
  }

  async #markGone(
    ids: ReadonlyArray<string>,
    at: Millis,
    within: Stretch,
  ): Promise<ReadonlyArray<GoneRow>> {
    await this.#settle()
    const left = new Set(ids)
    const marks: Array<GoneRow> = []
    const leave = (id: string, created: number, was: RowVersion | undefined): void => {
      left.delete(id)
      marks.push({ id, created, parent: '', at: at * 1_000 })
      this.#changes.set(id, { created, was, is: undefined })
    }
    for (const id of ids) {
      const change = this.#changes.get(id)
      if (change !== undefined) leave(id, change.created, change.was)
    }
    for await (const row of rowsOf(
      left.size === 0 ? [] : this.#around(within),
      this.#options.read,
    )) {
      const { id, created, status, updated, gone } = row
      if (gone === 0 && left.has(id)) leave(id, created, { status, updated: updated / 1_000 })
    }
    return marks
  }
}

const secondOf = (micros: number): Seconds => Math.floor(micros / MICROS)

const isInside = (piece: Piece, { from, to }: Stretch): boolean =>
  secondOf(piece.from) >= from && secondOf(piece.to) <= to

const isWithin = ({ from, to }: Stretch, second: Seconds): boolean => second >= from && second <= to

const isOf = ({ status }: Counted, version: Pick<RowVersion, 'status'> | undefined): boolean =>
  version !== undefined && (status === undefined || version.status === status)
