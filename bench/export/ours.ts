/** Exports with the library, without rate limits. The file name determines the format. */
import { createClient, unlimited } from 'payments-rx'
import { exportTo } from 'payments-rx/export'
import { lastValueFrom } from 'rxjs'

const [baseUrl, out] = process.argv.slice(2)
if (baseUrl === undefined || out === undefined) throw new Error('usage: ours BASE_URL FILE')

const payments = createClient({
  baseUrl,
  credentials: { clientId: 'sandbox', apiKey: 'sandbox-key' },
  limits: unlimited,
})

const last = await lastValueFrom(
  exportTo(payments.charges.snapshot({}).parallel(2), { out, restart: true }),
)
if (last._tag === 'Left') throw new Error(last.left.message)
if (last.right.run?.complete !== true) throw new Error('incomplete')
