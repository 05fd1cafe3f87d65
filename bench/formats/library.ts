/** Writes pages to a file with the library. Commits every 40,000 rows, which an export does about every second. */
import { Charge } from 'payments-rx'
import { type FormatOptions, formatOf, openFile } from 'payments-rx/export'
import { pages } from './pages.ts'

const FORMATS = ['ndjson', 'csv', 'json', 'parquet'] as const
const COMPRESSIONS = ['none', 'gzip', 'zstd'] as const

const [name, compress, out, rows] = process.argv.slice(2)
const options: FormatOptions = {
  format: FORMATS.find((one) => one === name) ?? 'ndjson',
  compress: COMPRESSIONS.find((one) => one === compress) ?? 'none',
}
const format = formatOf(Charge)(options)
if (out === undefined) throw new Error('usage: library FORMAT COMPRESS FILE ROWS')

const file = await openFile({ path: out, format })
let pagesWritten = 0
for (const page of pages(Number(rows))) {
  await file.write(page)
  pagesWritten++
  if (pagesWritten % 20 === 0) await file.commit()
}
await file.finish()
