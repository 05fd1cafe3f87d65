/** Which handler answers which row; a row without one does not compile. */
import { login } from '../../api/authentication.js'
import { type AnyEndpoint, untyped } from '../../api/Endpoint.js'
import { type Api, tables } from '../../api/index.js'
import { R } from '../../fp.js'
import type { Handle, HandlersOf, ReadsItself } from '../Handler.js'
import { authentication } from './authentication.js'
import { batchTransfers } from './batchTransfers.js'
import { charges } from './charges.js'
import { partnerWebhooks } from './partnerWebhooks.js'
import { reference } from './reference.js'
import { webhooks } from './webhooks.js'

interface Tables extends Api {
  readonly authentication: { readonly login: typeof login }
}

const handlers: HandlersOf<Tables> = {
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

const rows = flat({ ...tables, authentication: { login: untyped(login) } })

// Walking the handlers loses which row each goes with; `HandlersOf` has checked it above.
const byName = new Map(flat(handlers as unknown as Plain<AnyHandler>))

export const services: ReadonlyArray<Service> = rows.map(([name, row]) => {
  const handle = byName.get(name)
  if (handle === undefined) throw new Error(`${name} has no handler`) // does not compile
  return { row, handle }
})
