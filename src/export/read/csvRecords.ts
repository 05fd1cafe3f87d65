/** Records of CSV (RFC 4180), as an export writes it. */

/** The text of a cell; `undefined` for one that is empty without quotes: null, or missing. */
export type Cell = string | undefined

/** A cell in quotes or not, and what ends it. */
const CELL = /(?:"([^"]*(?:""[^"]*)*)"|([^",\r\n]*))(,|\r?\n)/y

/** Reads the records of a text, some at a time, the header among them. Passes a torn record at the end to `torn`. */
export async function* recordsOf(
  texts: AsyncIterable<string>,
  torn: (rest: string) => void,
): AsyncGenerator<ReadonlyArray<ReadonlyArray<Cell>>> {
  let rest = ''
  for await (const text of texts) {
    const all = rest + text
    const { records, end } = parsed(all)
    rest = all.slice(end)
    if (records.length > 0) yield records
  }
  if (rest !== '') torn(rest)
}

/** Returns the whole records of a text, and where they end. */
const parsed = (
  text: string,
): { readonly records: ReadonlyArray<ReadonlyArray<Cell>>; readonly end: number } => {
  const records: Array<ReadonlyArray<Cell>> = []
  let record: Array<Cell> = []
  let end = 0
  CELL.lastIndex = 0
  for (let found = CELL.exec(text); found !== null; found = CELL.exec(text)) {
    const [, quoted, plain = '', after] = found
    record.push(quoted?.replaceAll('""', '"') ?? (plain === '' ? undefined : plain))
    if (after === ',') continue
    records.push(record)
    record = []
    end = CELL.lastIndex
  }
  return { records, end }
}
