/** The same export with the library, its limits out of the way; the format by the name of the file. */
import { extname } from 'node:path'
import { Charge, createClient, unlimited } from 'payments-rx'
import {
  accountOf,
  formatNames,
  formatOf,
  fromSnapshot,
  runExport,
  targetOf,
} from 'payments-rx/export'
import { lastValueFrom } from 'rxjs'

const [baseUrl, out] = process.argv.slice(2)
if (baseUrl === undefined || out === undefined) throw new Error('usage: ours BASE_URL FILE')

const payments = createClient({
  baseUrl,
  credentials: { clientId: 'sandbox', apiKey: 'sandbox-key' },
  limits: unlimited,
})
const name = formatNames.find((known) => known === extname(out).slice(1)) ?? 'ndjson'
const format = formatOf(Charge)({ format: name })
if (format._tag === 'Left') throw new Error(format.left.message)

const { entry, failure } = await lastValueFrom(
  runExport({
    source: fromSnapshot(payments.charges.snapshot({}).parallel(2)),
    target: targetOf({ out, format: format.right }),
    purpose: {
      resource: 'charges',
      account: accountOf({ baseUrl, clientId: 'sandbox' }),
      query: {},
    },
    begin: 'restart',
    client: payments,
  }),
)
if (entry?.complete !== true) throw new Error(failure?.message ?? 'incomplete')
