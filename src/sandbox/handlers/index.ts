/** The handlers of all endpoints. A missing handler is a compile error. */
import { login } from '../../api/authentication.js'
import { type AnyEndpoint, untyped } from '../../api/Endpoint.js'
import { type Api, tables } from '../../api/index.js'
import { R } from '../../fp.js'
import { authentication } from './authentication.js'
import { batchTransfers } from './batchTransfers.js'
import { charges } from './charges.js'
import type { Handle, HandlersOf, RawHandler } from './Handler.js'
import { reference } from './reference.js'
import { partnerWebhooks, webhooks } from './webhooks.js'

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

type AnyHandler = Handle<unknown, unknown> | RawHandler<unknown>

export interface Service {
  readonly row: AnyEndpoint
  readonly handler: AnyHandler
}

type ByResource<A> = Readonly<Record<string, Readonly<Record<string, A>>>>

const flat = <A>(all: ByResource<A>): ReadonlyArray<readonly [string, A]> =>
  R.toEntries(all).flatMap(([resource, named]) =>
    R.toEntries(named).map(([name, a]) => [`${resource}.${name}`, a] as const),
  )

// the type of `handlers` matches each handler with its endpoint, which a flat list cannot express
const handlersByName = new Map(flat(handlers as unknown as ByResource<AnyHandler>))

export const services: ReadonlyArray<Service> = flat({
  ...tables,
  authentication: { login: untyped(login) },
}).map(([name, row]) => {
  const handler = handlersByName.get(name)
  if (handler === undefined) throw new Error(`${name} has no handler`) // does not compile
  return { row, handler }
})
