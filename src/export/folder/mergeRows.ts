/** Merges sorted sources of rows into one source in which each id occurs once. */
import { compareRows, isMark, type PieceRow } from './PieceRow.js'

/** Sorted rows in batches. An empty batch does not end them. */
export type Batches<C> = AsyncIterable<ReadonlyArray<PieceRow<C>>>

/** A sorted source that is opened only when its rows are due. */
export interface MergeSource<C> {
  /** Earliest possible time of creation of its rows, in µs since 1970. */
  readonly from: number
  /** Order of the sources. The current version of a row is in the later source. */
  readonly order: number
  readonly open: () => Batches<C>
}

class Cursor<C> {
  readonly order: number
  row: PieceRow<C> | undefined
  #batch: ReadonlyArray<PieceRow<C>> = []
  #at = 0
  readonly #batches: AsyncIterator<ReadonlyArray<PieceRow<C>>>

  constructor({ order, open }: MergeSource<C>) {
    this.order = order
    this.#batches = open()[Symbol.asyncIterator]()
  }

  /** Advances to the next row of the batch; returns false if another batch must be read. */
  step(): boolean {
    this.row = this.#batch[this.#at++]
    return this.row !== undefined
  }

  async read(): Promise<void> {
    while (!this.step()) {
      const { done, value } = await this.#batches.next()
      if (done === true) return
      this.#batch = value
      this.#at = 0
    }
  }

  async close(): Promise<void> {
    await this.#batches.return?.()
  }
}

/** Number of rows emitted together. */
const BATCH = 1_000

/** Marks the stored part of a row as gone, at a time in µs since 1970. */
export type MarkGone<C> = (content: C, at: number) => C

/**
 * Merges sources. Opens each one only when its rows are due, so sources that do not overlap in time are read one after the
 * other. Always closes all of them. A mark for a row that no source has becomes a row.
 */
export async function* mergeRows<C>(
  sources: ReadonlyArray<MergeSource<C>>,
  marked: MarkGone<C>,
): AsyncGenerator<ReadonlyArray<PieceRow<C>>, void, undefined> {
  const waiting = [...sources].sort((a, b) => a.from - b.from)
  const open: Array<Cursor<C>> = []
  let batch: Array<PieceRow<C>> = []
  let versions: Array<Version<C>> = [] // versions of one row
  try {
    for (;;) {
      let least = leastOf(open)
      while (waiting[0] !== undefined && waiting[0].from <= (least?.row?.created ?? Infinity)) {
        const [next] = waiting.splice(0, 1)
        if (next === undefined) break
        const cursor = new Cursor(next)
        open.push(cursor)
        await cursor.read()
        least = leastOf(open)
        if (least === undefined) continue
      }
      const row = least?.row
      if (least === undefined || row === undefined) break
      const [before] = versions
      if (before !== undefined && compareRows(before.row, row) !== 0) {
        batch.push(currentOf(before, versions, marked))
        versions = []
      }
      versions.push({ row, order: least.order })
      if (batch.length >= BATCH) {
        yield batch
        batch = []
      }
      if (!least.step()) await least.read()
      if (least.row === undefined) open.splice(open.indexOf(least), 1)
    }
    const [last] = versions
    if (last !== undefined) batch.push(currentOf(last, versions, marked))
    if (batch.length > 0) yield batch
  } finally {
    for (const cursor of open) await cursor.close()
  }
}

interface Version<C> {
  readonly row: PieceRow<C>
  readonly order: number
}

/** Returns a row after merging its versions. A version that follows a mark removes the mark. */
const currentOf = <C>(
  first: Version<C>,
  versions: ReadonlyArray<Version<C>>,
  marked: MarkGone<C>,
): PieceRow<C> => {
  if (versions.length === 1) return first.row
  const [earliest = first, ...later] = versions.toSorted((a, b) => a.order - b.order)
  let current = earliest.row
  for (const { row } of later) {
    if (isMark(row) && !isMark(current) && Number.isFinite(row.gone)) {
      const { gone } = row
      current = { ...current, gone, content: marked(current.content, gone) }
    } else current = row
  }
  return current
}

const leastOf = <C>(open: ReadonlyArray<Cursor<C>>): Cursor<C> | undefined => {
  let least: Cursor<C> | undefined
  for (const cursor of open) {
    if (cursor.row === undefined) continue
    if (least?.row === undefined || compareRows(cursor.row, least.row) < 0) least = cursor
  }
  return least
}
