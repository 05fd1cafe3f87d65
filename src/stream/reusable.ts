import type { Allocate } from './RowTexts.js'

/**
 * Bytes in a place that is used again: one for each page would live until the next full collection. The
 * first `kept` of them are as they were.
 */
export const reusable = (): Allocate => {
  let place = new Uint8Array(0)
  return (length, kept = 0) => {
    if (place.length < length) {
      const before = place.subarray(0, kept)
      place = new Uint8Array(kept === 0 ? length : 2 * length)
      place.set(before)
    }
    return place.subarray(0, length)
  }
}
