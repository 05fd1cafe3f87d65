import type { RowTexts } from '../stream/index.js'

/** Up to the first row, in the shapes that the envelope comes in when no key before `items` has a list. */
const HEAD = /^\{(?:"has_more":(?:true|false),)?"items":\[(?=\{)/

/** After the last row: what else the envelope says, in plain values. */
const TAIL = /^\](?:,"\w+":(?:true|false|null|-?\d+|"[^"\\]*"))*\}$/

/**
 * The JSON of the rows of a page as they came: digits, order and escapes are as the service wrote them.
 * Nothing where the answer cannot be cut into them for certain.
 *
 * Rows are told apart by `},{`. A row may have that within, but then there is more of it than there are
 * rows; and what is not a row at the end does not parse.
 */
export const rowTexts = (body: string, rows: number): RowTexts | undefined => {
  const head = HEAD.exec(body)?.[0].length
  const last = body.lastIndexOf('}]')
  if (head === undefined || rows === 0 || body.includes('\n') || body.includes('\r'))
    return undefined
  if (!TAIL.test(body.slice(last + 1))) return undefined

  const starts = [head]
  for (let at = body.indexOf(BETWEEN, head); at !== -1; at = body.indexOf(BETWEEN, at + 2)) {
    if (starts.push(at + 2) > rows) return undefined
  }
  if (starts.length < rows || !isJson(body.slice(starts.at(-1), last + 1))) return undefined
  return {
    length: rows,
    join: (places, between) =>
      runs(places)
        .map(([from, to]) => {
          const end = to + 1 < rows ? (starts[to + 1] ?? 0) - 1 : last + 1
          // all at once: there is nothing else in it that looks like that
          return body.slice(starts[from], end).replaceAll(BETWEEN, `}${literally(between)}{`)
        })
        .join(between),
  }
}

const BETWEEN = '},{'

/** `$` means something to `replaceAll`. */
const literally = (text: string): string => text.replaceAll('$', '$$$$')

/** Places that follow one another, as the first and the last of them. */
const runs = (places: ReadonlyArray<number>): ReadonlyArray<readonly [number, number]> => {
  const all: Array<[number, number]> = []
  for (const place of places) {
    const run = all.at(-1)
    if (run !== undefined && run[1] === place - 1) run[1] = place
    else all.push([place, place])
  }
  return all
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
