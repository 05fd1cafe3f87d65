import { fieldsOf } from '../decode/unknown.js'

/** Two rows with the same key are the same row: by its id, or by all that it says where it has none. */
export const rowKey = (row: unknown): string => {
  const { id } = fieldsOf(row)
  return typeof id === 'string' ? id : contentOf(row)
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
