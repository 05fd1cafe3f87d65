/** The loop over the runtime's fetch that also decodes the rows. It shows the cost of decoding. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { Charge } from 'payments-rx'
import { compile } from 'payments-rx/decode'

const [baseUrl, out] = process.argv.slice(2)
if (baseUrl === undefined || out === undefined)
  throw new Error('usage: floor-decoding BASE_URL FILE')

const login = await fetch(`${baseUrl}/api/v1/authentication/login`, {
  method: 'POST',
  headers: { 'x-client-id': 'sandbox', 'x-api-key': 'sandbox-key' },
})
const { token } = JSON.parse(await login.text())

const decode = compile(Charge)
const file = createWriteStream(out)
for (let page = 0, more = true; more; page++) {
  const answer = await fetch(`${baseUrl}/api/v1/charges?page_num=${page}&page_size=2000`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { items, has_more } = JSON.parse(await answer.text())
  let text = ''
  for (const item of items) {
    const decoded = decode(item)
    if (decoded._tag === 'Right') text += `${JSON.stringify(decoded.right)}\n`
  }
  if (!file.write(text)) await once(file, 'drain')
  more = has_more
}
file.end()
await finished(file)
