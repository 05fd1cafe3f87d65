/**
 * The floor: the cost of an export that is written by hand for this one list, with the runtime's fetch. Writes NDJSON, or CSV
 * if the file name says so.
 */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'

const [baseUrl, out] = process.argv.slice(2)
if (baseUrl === undefined || out === undefined) throw new Error('usage: floor-fetch BASE_URL FILE')

const COLUMNS = [
  ...['id', 'amount', 'currency', 'reason', 'reference', 'request_id', 'source', 'fee'],
  ...['short_reference_id', 'status', 'created_at', 'updated_at'],
]
const UNSAFE = /[",\r\n]/

const cell = (value: unknown): string => {
  const text = String(value ?? '')
  return UNSAFE.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const lines: Readonly<Record<'csv' | 'ndjson', (row: Record<string, unknown>) => string>> = {
  csv: (row) => {
    let line = ''
    for (const name of COLUMNS) line += line === '' ? cell(row[name]) : `,${cell(row[name])}`
    return `${line}\r\n`
  },
  ndjson: (row) => `${JSON.stringify(row)}\n`,
}
const line = lines[out.endsWith('.csv') ? 'csv' : 'ndjson']

const login = await fetch(`${baseUrl}/api/v1/authentication/login`, {
  method: 'POST',
  headers: { 'x-client-id': 'sandbox', 'x-api-key': 'sandbox-key' },
})
const { token } = JSON.parse(await login.text())

const file = createWriteStream(out)
if (out.endsWith('.csv')) file.write(`${COLUMNS.join(',')}\r\n`)
for (let page = 0, more = true; more; page++) {
  const answer = await fetch(`${baseUrl}/api/v1/charges?page_num=${page}&page_size=2000`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { items, has_more } = JSON.parse(await answer.text())
  let text = ''
  for (const item of items) text += line(item)
  if (!file.write(text)) await once(file, 'drain')
  more = has_more
}
file.end()
await finished(file)
