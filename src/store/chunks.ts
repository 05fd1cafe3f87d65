/**
 * Chunks of an object that grows: the service joins them in the end, 10,000 at most. The first thousand has the least size that
 * S3 allows; each thousand after it, up to the sixth, twice that of the one before.
 */

/** The least size of a part of an object, in bytes. */
const FIRST = 5 << 20
/** So many chunks have one size. */
const ALIKE = 1_000
/** How often the size doubles: a chunk is held in memory, and written again with each commit. */
const DOUBLINGS = 5
/** The most parts of an object. */
const MOST = 10_000

/** A chunk of an object. */
export interface ObjectChunk {
  /** From 1. */
  readonly number: number
  /** Where it begins in the object, in bytes. */
  readonly start: number
  /** Its size when it is full, in bytes. */
  readonly size: number
}

/** Finds the chunk that a position is in. */
export const chunkAt = (position: number): ObjectChunk => {
  const doublings = Math.min(DOUBLINGS, Math.floor(Math.log2(position / (ALIKE * FIRST) + 1)))
  const size = FIRST * 2 ** doublings
  const begin = ALIKE * FIRST * (2 ** doublings - 1)
  const before = Math.floor((position - begin) / size)
  return { number: doublings * ALIKE + before + 1, start: begin + before * size, size }
}

/** The largest object, in bytes: 932 GiB. */
export const MOST_BYTES: number =
  ALIKE * FIRST * (2 ** DOUBLINGS - 1) + (MOST - DOUBLINGS * ALIKE) * FIRST * 2 ** DOUBLINGS
