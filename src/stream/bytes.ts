/**
 * Returns exactly `length` bytes. The caller writes and uses all of them. The first `kept` bytes keep their content; the
 * content of the rest is undefined. The next call overwrites the bytes.
 */
export type Allocate = (length: number, kept?: number) => Uint8Array

/** Allocates from one reused buffer. A buffer for each page would live until the next full garbage collection. */
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

/** Joins parts into bytes from `allocate`. */
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
