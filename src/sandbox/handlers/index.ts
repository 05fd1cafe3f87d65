/** Which handler answers which row; a row without one does not compile. */
import { login } from '../../api/authentication.js'
import type { AnyEndpoint } from '../../api/Endpoint.js'
import { api } from '../../api/index.js'
import { R } from '../../fp.js'
import type { Handle, HandlersOf, ReadsItself } from '../Handler.js'
import { authentication } from './authentication.js'
import { batchTransfers } from './batchTransfers.js'
import { charges } from './charges.js'
import { partnerWebhooks } from './partnerWebhooks.js'
import { reference } from './reference.js'
import { webhooks } from './webhooks.js'

const tables = { ...api, authentication: { login } }

const handlers: HandlersOf<typeof tables> = {
  authentication,
  batchTransfers,
  charges,
  partnerWebhooks,
  reference,
  webhooks,
}

type AnyHandler = Handle<unknown, unknown> | ReadsItself<unknown>

/** A row with the handler that answers it. */
export interface Service {
  readonly row: AnyEndpoint
  readonly handle: AnyHandler
}

type Plain<A> = Readonly<Record<string, Readonly<Record<string, A>>>>

const flat = <A>(all: Plain<A>): ReadonlyArray<readonly [string, A]> =>
  R.toEntries(all).flatMap(([resource, named]) =>
    R.toEntries(named).map(([name, a]) => [`${resource}.${name}`, a] as const),
  )

// Walking the tables loses which handler goes with which row; `HandlersOf` has checked it above.
const rows = flat(tables as unknown as Plain<AnyEndpoint>)
const byName = new Map(flat(handlers as unknown as Plain<AnyHandler>))

export const services: ReadonlyArray<Service> = rows.flatMap(([name, row]) => {
  const handle = byName.get(name)
  return handle === undefined ? [] : [{ row, handle }]
})
