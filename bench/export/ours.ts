/** The same export with the library, its limits out of the way. */

import { createClient } from 'payments-rx'
import { exportList, fileOutput, ndjson } from 'payments-rx/export'
import { lastValueFrom } from 'rxjs'

const [baseUrl, out] = process.argv.slice(2)
if (baseUrl === undefined || out === undefined) throw new Error('usage: ours BASE_URL FILE')

const none = Number.POSITIVE_INFINITY
const payments = createClient({
  baseUrl,
  credentials: { clientId: 'sandbox', apiKey: 'sandbox-key' },
  limits: { global: none, endpoint: none, concurrency: none, logins: none },
})
const rows = await fileOutput(out)
const rejects = await fileOutput(`${out}.rejects.ndjson`)
const last = await lastValueFrom(
  exportList({ sink: ndjson(rows), rejects: ndjson(rejects) })(
    payments.charges.list({ page_size: 2_000 }),
  ),
)
await rows.close()
await rejects.close()
if (!last.ended) throw new Error(last.failure?.message)
