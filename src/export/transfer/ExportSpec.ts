/** The identity of an export. A state is resumed only by the same export. */
import * as t from 'io-ts'
import { isDate } from '../../decode/unknown.js'
import type { ListDescription } from '../../http/list/List.js'
import { sha256 } from '../../store/readRecord.js'
import { exportError } from '../ExportError.js'
import type { Format } from '../format/Format.js'

export const ExportSpec = t.readonly(
  t.type({
    /** The listed resource, such as `charges`. */
    resource: t.string,
    /** SHA-256 of base URL, client id, login-as and on-behalf-of, or of the `account` option. */
    account: t.string,
    /** Filters of the list, as sent to the API. */
    query: t.readonly(t.record(t.string, t.string)),
    /** How rows are written: format, compression, columns ... */
    format: t.readonly(t.record(t.string, t.string)),
    /** The destination, relative to the folder of the state; `.` is that folder. */
    destination: t.string,
  }),
)

/** The exported list, and how it is written, as plain texts that a state can store. */
export interface ExportSpec extends t.TypeOf<typeof ExportSpec> {}

/** Further details that must be the same when the export is resumed. */
export interface SpecDetails {
  /** Name of the account, used instead of the client's base URL and credentials. */
  readonly account: string | undefined
  /** How rows are written or changed, by option name. */
  readonly written: Readonly<Record<string, string | undefined>>
}

export const specOf = (
  list: ListDescription<unknown>,
  { name, compress, columns }: Pick<Format<never>, 'name' | 'compress' | 'columns'>,
  { account, written }: SpecDetails,
  destination: string,
): ExportSpec => ({
  resource: resourceOf(list),
  account: accountHash(list, account),
  query: texts(list.query),
  format: {
    ...texts({ ...written, apiVersion: list.apiVersion }),
    name,
    compress,
    ...(columns.length === 0 ? {} : { columns: columns.join(',') }),
  },
  destination,
})

/** Returns the resource of a route: `batch-transfers/items` for `GET /api/v1/batch_transfers/{id}/items`. */
const resourceOf = ({ endpoint }: Pick<ListDescription<unknown>, 'endpoint'>): string =>
  endpoint
    .slice(endpoint.indexOf('/'))
    .split('/')
    .filter((part) => part !== '' && !/^(api|v\d+|\{.*\})$/.test(part))
    .join('/')
    .replaceAll('_', '-')

/** Returns the hash of an account. `name`: the caller's name for it, used instead of base URL and credentials. */
const accountHash = (list: ListDescription<unknown>, name: string | undefined): string =>
  name === undefined ? accountOf(list) : sha256(name)

/** Returns a hash that is equal for equal accounts and reveals nothing about them. No secret is needed to compute it. */
const accountOf = ({
  baseUrl,
  clientId = '',
  loginAs,
  onBehalfOf,
}: ListDescription<unknown>): string =>
  sha256(JSON.stringify([baseUrl, clientId, loginAs, onBehalfOf]))

const texts = (values: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, isDate(value) ? value.toISOString() : String(value)]],
    ),
  )

/** Throws a `SpecMismatch` unless the complete export at `path` has the same list, account and query. */
export const checkSameQuery = (path: string, wanted: ExportSpec): ((found: ExportSpec) => void) => {
  const check = checkSameSpec(path, wanted)
  return (found) =>
    check({ ...wanted, ...found, format: wanted.format, destination: wanted.destination })
}

/** Throws a `SpecMismatch` with the first field in which the state at `path` differs from this export. */
export const checkSameSpec =
  (path: string, wanted: ExportSpec) =>
  (found: ExportSpec): void => {
    const differs = (field: string, was: string | undefined, is: string | undefined): void => {
      if (was === is) return
      throw mismatch(path, field, `its ${field} is ${show(was)}, but is now ${show(is)}`)
    }
    differs('resource', found.resource, wanted.resource)
    if (found.account !== wanted.account) {
      const why = 'its account (base URL, client id, login-as, on-behalf-of) is not the current one'
      throw mismatch(path, 'account', why)
    }
    for (const part of ['query', 'format'] as const) {
      const [was, is] = [found[part], wanted[part]]
      for (const name of Object.keys({ ...was, ...is })) {
        differs(`${part}.${name}`, was[name], is[name])
      }
    }
    differs('destination', found.destination, wanted.destination)
  }

const mismatch = (path: string, field: string, why: string) =>
  exportError('SpecMismatch', `${path} belongs to another export: ${why}`, { path, field })

const show = (text: string | undefined): string =>
  text === undefined ? 'not given' : JSON.stringify(text)
