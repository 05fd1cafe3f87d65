/**
 * Rows turned into the bytes of a file, in memory: one page of 2,000 charges. `npm run bench -- writers [--json]`. Files,
 * compression and memory are measured by `formats`.
 */
import { stringify } from 'csv-stringify/sync'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { Charge } from 'payments-rx'
import { type FormatName, formatOf, knownColumns } from 'payments-rx/export'
import { pages } from '../formats/pages.ts'
import { type MicroContender, runMicro } from '../micro.ts'

const ROWS = 2_000
const [page = []] = pages(ROWS)
const columns = knownColumns(Charge).map(({ name }) => name)

/** Writes the page as one file of a format, whose bytes are thrown away. */
const ours = (format: FormatName): MicroContender => {
  const { encoder } = formatOf(Charge)({ format, compress: 'none' })
  return {
    name: 'payments-rx',
    role: 'ours',
    run: async () => {
      let size = 0
      const { rows, end } = await encoder({
        size: () => size,
        append: async (bytes) => {
          size += bytes.length
        },
      })
      await rows(page)
      await end()
      return size
    },
  }
}

const stringified: MicroContender = {
  name: 'JSON.stringify',
  role: 'floor',
  run: () => {
    let text = ''
    for (const row of page) text += `${JSON.stringify(row)}\n`
    return Buffer.from(text)
  },
}

const valuesOf = (name: string): Array<unknown> =>
  page.map((row) => Object.entries(row).find(([key]) => key === name)?.[1])

await runMicro([
  { subject: 'NDJSON, 2,000 charges', items: ROWS, contenders: [stringified, ours('ndjson')] },
  {
    subject: 'CSV, 2,000 charges',
    items: ROWS,
    contenders: [
      stringified,
      ours('csv'),
      {
        name: 'csv-stringify',
        role: 'peer',
        run: () => Buffer.from(stringify([...page], { columns, header: true })),
      },
    ],
  },
  {
    subject: 'Parquet, 2,000 charges',
    items: ROWS,
    contenders: [
      stringified,
      ours('parquet'),
      {
        name: 'hyparquet-writer',
        role: 'peer',
        run: () =>
          parquetWriteBuffer({
            columnData: columns.map((name) => ({ name, data: valuesOf(name) })),
            codec: 'UNCOMPRESSED',
          }),
      },
    ],
  },
])
