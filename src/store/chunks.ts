/**
 * Chunks of a growing object, at most 10,000, which the service joins at the end. The first thousand have the minimum size of
 * S3. Each further thousand, up to the sixth, doubles the size.
 */

/** Minimum size of a part of an object, in bytes. */
const FIRST = 5 << 20
/** Number of chunks of equal size. */
const ALIKE = 1_000
/** Number of times that the size doubles. It is low, because a chunk is held in memory and rewritten with each commit. */
const DOUBLINGS = 5
/** Maximum number of parts of an object. */
const MOST = 10_000

export interface ObjectChunk {
  /** The number of the chunk, starting at 1. */
  readonly number: number
  /** Its offset in the object, in bytes. */
  readonly start: number
  /** Its size when full, in bytes. */
  readonly size: number
}

/** Returns the chunk that contains a position. */
export const chunkAt = (position: number): ObjectChunk => {
  const doublings = Math.min(DOUBLINGS, Math.floor(Math.log2(position / (ALIKE * FIRST) + 1)))
  const size = FIRST * 2 ** doublings
  const begin = ALIKE * FIRST * (2 ** doublings - 1)
  const before = Math.floor((position - begin) / size)
  return { number: doublings * ALIKE + before + 1, start: begin + before * size, size }
}

/** Maximum size of an object, in bytes: 932 GiB. */
export const MOST_BYTES: number =
  ALIKE * FIRST * (2 ** DOUBLINGS - 1) + (MOST - DOUBLINGS * ALIKE) * FIRST * 2 ** DOUBLINGS
