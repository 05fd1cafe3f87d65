/**
 * Gives `length` bytes, and not one more: what is written into them is taken whole. The first `kept` are those of the
 * bytes given before, the rest is undefined. They are overwritten by the next call.
 */
export type Allocate = (length: number, kept?: number) => Uint8Array

/** Allocates from one buffer that is used again: a buffer for each page would live until the next full collection. */
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

/** Joins parts, in bytes that `allocate` gives. */
export const joinBytes = <Bytes extends Uint8Array>(
  parts: ReadonlyArray<Uint8Array>,
  allocate: (length: number) => Bytes,
): Bytes => {
  const all = allocate(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
