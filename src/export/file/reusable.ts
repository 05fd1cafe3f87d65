/** Bytes in a place that is used again: one for each page would live until the next full collection. */
export const reusable = (): ((length: number) => Uint8Array) => {
  let place = new Uint8Array(0)
  return (length) => {
    if (place.length < length) place = new Uint8Array(length)
    return place.subarray(0, length)
  }
}
