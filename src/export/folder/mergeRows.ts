/** Merges sorted sources of rows into one, which has each id once. */
import { compareRows, isMark, type PieceRow, replaces } from './PieceRow.js'

/** Sorted rows in batches; an empty batch is no end. */
export type Batches<C> = AsyncIterable<ReadonlyArray<PieceRow<C>>>

/** A sorted source that is opened when its turn comes. */
export interface MergeSource<C> {
  /** No row of it is created earlier, in µs since 1970. */
  readonly from: number
  /** Place among the sources: the later one wins where two versions of a row were updated at the same time. */
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

  /** Goes to the next row of the batch; false where another batch has to be read. */
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

/** Rows that are handed on together. */
const BATCH = 1_000

/** How versions of a row become one. */
export interface MergeOptions<C> {
  /** An `updated_at` after it, in µs since 1970, is of a wrong clock, and does not outlast a later version. */
  readonly doubtful: number
  /** Marks what is kept of a row as gone, at a time in µs since 1970. */
  readonly marked: (content: C, at: number) => C
}

/**
 * Merges sources. Opens each only when its rows are due, so that sources whose times do not overlap are read one after
 * the other. Closes all of them, however it ends. A mark of a row that no source has is a row of its own.
 */
export async function* mergeRows<C>(
  sources: ReadonlyArray<MergeSource<C>>,
  options: MergeOptions<C>,
): AsyncGenerator<ReadonlyArray<PieceRow<C>>, void, undefined> {
  const waiting = [...sources].sort((a, b) => a.from - b.from)
  const open: Array<Cursor<C>> = []
  let batch: Array<PieceRow<C>> = []
  let versions: Array<Version<C>> = [] // of one row
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
        batch.push(currentOf(before, versions, options))
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
    if (last !== undefined) batch.push(currentOf(last, versions, options))
    if (batch.length > 0) yield batch
  } finally {
    for (const cursor of open) await cursor.close()
  }
}

interface Version<C> {
  readonly row: PieceRow<C>
  readonly order: number
}

/** Returns a row as its versions leave it. A version that came after a mark takes that away. */
const currentOf = <C>(
  first: Version<C>,
  versions: ReadonlyArray<Version<C>>,
  { doubtful, marked }: MergeOptions<C>,
): PieceRow<C> => {
  if (versions.length === 1) return first.row
  const [earliest = first, ...later] = versions.toSorted((a, b) => a.order - b.order)
  let current = earliest.row
  for (const { row } of later) {
    if (isMark(row) && !isMark(current)) {
      const { gone } = row
      current = { ...current, gone, content: marked(current.content, gone) }
    } else if (current.gone > 0 || replaces(row, current, doubtful)) current = row
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
