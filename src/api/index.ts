/** The tables of the interface, under the names callers use. */
import { R } from '../fp.js'
import { login } from './authentication.js'
import { charges } from './charges.js'
import { type AnyEndpoint, untyped } from './Endpoint.js'

export const api = { charges }

export type Api = typeof api

/** The same, for what walks all of it. */
export const tables: Readonly<Record<keyof Api, Readonly<Record<string, AnyEndpoint>>>> = {
  charges: R.map(untyped)(api.charges),
}

/** Every row, the login among them. */
export const rows: ReadonlyArray<AnyEndpoint> = [
  untyped(login),
  ...Object.values(tables).flatMap(Object.values<AnyEndpoint>),
]
