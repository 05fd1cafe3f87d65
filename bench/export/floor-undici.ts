/** The floor: the cost of an export that is written by hand for this one list, with undici. */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { request } from 'undici'

const [baseUrl, out] = process.argv.slice(2)
if (baseUrl === undefined || out === undefined) throw new Error('usage: floor-undici BASE_URL FILE')

const login = await request(`${baseUrl}/api/v1/authentication/login`, {
  method: 'POST',
  headers: { 'x-client-id': 'sandbox', 'x-api-key': 'sandbox-key' },
})
const { token } = JSON.parse(await login.body.text())

const file = createWriteStream(out)
for (let page = 0, more = true; more; page++) {
  const answer = await request(`${baseUrl}/api/v1/charges?page_num=${page}&page_size=2000`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { items, has_more } = JSON.parse(await answer.body.text())
  let text = ''
  for (const item of items) text += `${JSON.stringify(item)}\n`
  if (!file.write(text)) await once(file, 'drain')
  more = has_more
}
file.end()
await finished(file)
