/** Pages that are only parsed, or written by hand with `JSON.stringify`. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { pages } from './pages.ts'

const [what, out, rows] = process.argv.slice(2)
if (what === undefined || out === undefined)
  throw new Error('usage: floor parse|stringify FILE ROWS')

const file = createWriteStream(out)
for (const page of pages(Number(rows))) {
  if (what === 'parse') continue
  let text = ''
  for (const row of page) text += `${JSON.stringify(row)}\n`
  if (!file.write(text)) await once(file, 'drain')
}
file.end()
await finished(file)
