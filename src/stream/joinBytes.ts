/** Parts as one, in bytes that `allocate` gives. */
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
