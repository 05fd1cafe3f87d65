/** The identity of an export: a state of another one is not resumed. */
import { basename, dirname, resolve } from 'node:path'
import * as t from 'io-ts'
import { isDate } from '../../decode/unknown.js'
import type { ListDescription } from '../../http/list/List.js'
import { sha256 } from '../../store/readRecord.js'
import { exportError } from '../ExportError.js'
import type { Format } from '../format/Format.js'

// model

export const ExportSpec = t.readonly(
  t.type({
    /** The resource that is listed: `charges`. */
    resource: t.string,
    /** SHA-256 of base URL, client id, login-as and on-behalf-of, or of the name that the caller gave the account. */
    account: t.string,
    /** Filters of the list, in the API's words. */
    query: t.readonly(t.record(t.string, t.string)),
    /** How rows are written: format, compression, columns ... */
    format: t.readonly(t.record(t.string, t.string)),
    /** Where to, seen from the folder of the state; `.` is that folder. */
    destination: t.string,
  }),
)

/** The list of an export, and how it is written. Plain texts, fit for a state. */
export interface ExportSpec extends t.TypeOf<typeof ExportSpec> {}

/** Further details that must not change when it is resumed. */
export interface SpecDetails {
  /** The name of the account, in place of what the client knows of it. */
  readonly account: string | undefined
  /** How rows are written or changed, by the name of the option. */
  readonly written: Readonly<Record<string, string | undefined>>
}

// constructors

/** Describes the export of a list in a format. */
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

/** `GET /api/v1/batch_transfers/{id}/items` is `batch-transfers/items`. */
const resourceOf = ({ endpoint }: Pick<ListDescription<unknown>, 'endpoint'>): string =>
  endpoint
    .slice(endpoint.indexOf('/'))
    .split('/')
    .filter((part) => part !== '' && !/^(api|v\d+|\{.*\})$/.test(part))
    .join('/')
    .replaceAll('_', '-')

/** Returns the hash of an account; `name`: what the caller calls it, in place of what the client knows of it. */
export const accountHash = (list: ListDescription<unknown>, name: string | undefined): string =>
  name === undefined ? accountOf(list) : sha256(name)

/** Returns a hash that is equal for equal accounts, and shows nothing of them. No secret is needed to tell accounts apart. */
export const accountOf = ({
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

// combinators

/** Throws a `SpecMismatch` unless the complete export at `path` is of the same list, account and query. */
export const checkSameQuery = (path: string, wanted: ExportSpec): ((found: ExportSpec) => void) => {
  const check = checkSameSpec(path, wanted)
  return (found) =>
    check({ ...wanted, ...found, format: wanted.format, destination: wanted.destination })
}

/** Throws a `SpecMismatch` that names the first field in which the state at `path` is of another export. */
export const checkSameSpec =
  (path: string, wanted: ExportSpec) =>
  (found: ExportSpec): void => {
    const differs = (field: string, was: string | undefined, is: string | undefined): void => {
      if (was === is) return
      throw mismatch(path, field, `its ${field} is ${show(was)}, and now it is ${show(is)}`)
    }
    differs('resource', found.resource, wanted.resource)
    if (found.account !== wanted.account) {
      const why = 'its account (base URL, client id, login-as, on-behalf-of) is not the one of now'
      throw mismatch(path, 'account', why)
    }
    for (const part of ['query', 'format'] as const) {
      const [was, is] = [found[part], wanted[part]]
      for (const name of Object.keys({ ...was, ...is })) {
        differs(`${part}.${name}`, was[name], is[name])
      }
    }
    if (wanted.destination !== '.' || found.destination !== folderOf(path)) {
      differs('destination', found.destination, wanted.destination)
    }
  }

/** Parts of a query that may differ between runs of one folder. */
const TIMES = ['from_created_at', 'to_created_at']

/**
 * Throws a `SpecMismatch` unless the run in the manifest at `path` reads the same but for the times; and, if both are
 * in one `folder`, writes it in the same way.
 */
export const checkContinues = (
  path: string,
  { query, ...found }: ExportSpec,
  wanted: ExportSpec,
  folder: boolean,
): void => {
  const same = (field: string, was: string | undefined, is: string | undefined): void => {
    if (was !== is) throw mismatch(path, field, `its ${field} is not the one of now`)
  }
  same('resource', found.resource, wanted.resource)
  same('account', found.account, wanted.account)
  for (const name of Object.keys({ ...query, ...wanted.query })) {
    if (!TIMES.includes(name)) same(`query.${name}`, query[name], wanted.query[name])
  }
  if (!folder) return
  for (const name of Object.keys({ ...found.format, ...wanted.format })) {
    same(`format.${name}`, found.format[name], wanted.format[name])
  }
}

const mismatch = (path: string, field: string, why: string) =>
  exportError('SpecMismatch', `${path} is of another export: ${why}`, { path, field })

/** The name of the folder that a file is in: earlier states have this for `.`. */
const folderOf = (path: string): string => basename(dirname(resolve(path)))

const show = (text: string | undefined): string =>
  text === undefined ? 'not given' : JSON.stringify(text)
