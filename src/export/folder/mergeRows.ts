/** Merges sorted sources of rows into one, which has each id once. */
import { compareRows, type PieceRow, replaces } from './PieceRow.js'

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
  private batch: ReadonlyArray<PieceRow<C>> = []
  private at = 0
  private readonly batches: AsyncIterator<ReadonlyArray<PieceRow<C>>>

  constructor({ order, open }: MergeSource<C>) {
    this.order = order
    this.batches = open()[Symbol.asyncIterator]()
  }

  /** Goes to the next row of the batch; false where another batch has to be read. */
  step(): boolean {
    this.row = this.batch[this.at++]
    return this.row !== undefined
  }

  async read(): Promise<void> {
    while (!this.step()) {
      const { done, value } = await this.batches.next()
      if (done === true) return
      this.batch = value
      this.at = 0
    }
  }

  async close(): Promise<void> {
    await this.batches.return?.()
  }
}

/** Rows that are handed on together. */
const BATCH = 1_000

/**
 * Merges sources. Opens each only when its rows are due, so that sources whose times do not overlap are read one after
 * the other. Closes all of them, however it ends. `doubtful`: an `updated_at` after it, in µs since 1970, is of a wrong
 * clock, and does not outlast a later version.
 */
export async function* mergeRows<C>(
  sources: ReadonlyArray<MergeSource<C>>,
  doubtful = Number.POSITIVE_INFINITY,
): AsyncGenerator<ReadonlyArray<PieceRow<C>>, void, undefined> {
  const waiting = [...sources].sort((a, b) => a.from - b.from)
  const open: Array<Cursor<C>> = []
  let batch: Array<PieceRow<C>> = []
  let current: PieceRow<C> | undefined
  let currentOrder = -1
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
      if (current === undefined || compareRows(current, row) !== 0) {
        if (current !== undefined) batch.push(current)
        current = row
        currentOrder = least.order
      } else if (isNewer(row, least.order, current, currentOrder, doubtful)) {
        current = row
        currentOrder = least.order
      }
      if (batch.length >= BATCH) {
        yield batch
        batch = []
      }
      if (!least.step()) await least.read()
      if (least.row === undefined) open.splice(open.indexOf(least), 1)
    }
    if (current !== undefined) batch.push(current)
    if (batch.length > 0) yield batch
  } finally {
    for (const cursor of open) await cursor.close()
  }
}

const isNewer = (
  row: PieceRow,
  order: number,
  than: PieceRow,
  thanOrder: number,
  doubtful: number,
): boolean => (order >= thanOrder ? replaces(row, than, doubtful) : !replaces(than, row, doubtful))

const leastOf = <C>(open: ReadonlyArray<Cursor<C>>): Cursor<C> | undefined => {
  let least: Cursor<C> | undefined
  for (const cursor of open) {
    if (cursor.row === undefined) continue
    if (least?.row === undefined || compareRows(cursor.row, least.row) < 0) least = cursor
  }
  return least
}
