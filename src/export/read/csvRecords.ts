/** Reads records of CSV (RFC 4180), as written by an export. */
import { MOST_CHARACTERS } from './textLines.js'

/** The text of a cell; `undefined` for an empty cell without quotes, which means null or missing. */
export type TextCell = string | undefined

/** An unquoted cell, and the separator or line end after it. */
const PLAIN = /([^",\r\n]*)(,|\r?\n)/y

/** End of a cell in quotes. */
const END = /,|\r?\n/y

export interface RecordsOptions {
  /** Called with a record that is truncated or malformed. */
  readonly torn: (rest: string) => void
  /** Called with a record that is too long. */
  readonly tooLong: () => void
}

/** Reads the records of a text, including the header, chunk by chunk. */
export async function* recordsOf(
  texts: AsyncIterable<string>,
  { torn, tooLong }: RecordsOptions,
): AsyncGenerator<ReadonlyArray<ReadonlyArray<TextCell>>> {
  let waiting: Array<string> = []
  let size = 0
  let enough = 0 // examined again once the text has doubled
  for await (const text of texts) {
    waiting.push(text)
    size += text.length
    if (size < enough) continue
    const all = waiting.join('')
    const { records, end } = parsed(all)
    waiting = [all.slice(end)]
    size = all.length - end
    enough = 2 * size
    if (records.length > 0) yield records
    if (size > MOST_CHARACTERS) tooLong()
  }
  const all = waiting.join('')
  const { records, end } = parsed(all)
  if (records.length > 0) yield records
  if (end < all.length) torn(all.slice(end))
}

/** Returns the complete records of a text, and the index at which they end. */
const parsed = (
  text: string,
): { readonly records: ReadonlyArray<ReadonlyArray<TextCell>>; readonly end: number } => {
  const records: Array<ReadonlyArray<TextCell>> = []
  let record: Array<TextCell> = []
  let end = 0
  for (let at = 0; ; ) {
    const isQuoted = text[at] === '"'
    const quoteEnd = isQuoted ? closingQuote(text, at) : at
    if (quoteEnd === undefined) break
    const pattern = isQuoted ? END : PLAIN
    pattern.lastIndex = isQuoted ? quoteEnd + 1 : at
    const found = pattern.exec(text)
    if (found === null) break
    const [all, plain = ''] = found
    if (isQuoted) record.push(text.slice(at + 1, quoteEnd).replaceAll('""', '"'))
    else record.push(plain === '' ? undefined : plain)
    at = pattern.lastIndex
    if (all.endsWith(',')) continue
    records.push(record)
    record = []
    end = at
  }
  return { records, end }
}

/** Returns the index of a cell's closing quote. Two quotes are an escaped quote. */
const closingQuote = (text: string, start: number): number | undefined => {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at
  }
  return undefined
}
