/** What two readings of a list know the same rows by. */

/**
 * The names of rows: their keys. Those without one go by all that they say, and by how many before them say the
 * same: of two that are alike, nobody could tell which is which, but that they are two.
 */
export const namesBy =
  (key: (raw: unknown) => string | undefined) =>
  (raw: ReadonlyArray<unknown>): ReadonlyArray<string> => {
    const alike = new Map<string, number>()
    return raw.map((row) => {
      const own = key(row)
      if (own !== undefined) return `key ${own}`
      const said = contentOf(row)
      const before = alike.get(said) ?? 0
      alike.set(said, before + 1)
      return `${before} ${said}`
    })
  }

/** What tells a value from every other, however deep it is nested: `JSON.stringify` goes some thousands down. */
const contentOf = (row: unknown): string => {
  const rest = [row]
  let text = ''
  while (rest.length > 0) {
    const u = rest.pop()
    if (typeof u !== 'object' || u === null) {
      text += `${JSON.stringify(u)},`
      continue
    }
    text += Array.isArray(u) ? `[${u.length}]` : JSON.stringify(Object.keys(u))
    for (const value of Object.values(u)) rest.push(value)
  }
  return text
}
