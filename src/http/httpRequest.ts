/** Builds the request of a call, ready to be sent, with its URL and all headers. */
import type { AnyEndpoint } from '../api/Endpoint.js'
import { rows } from '../api/index.js'
import { withoutUndefined } from '../fp.js'
import type { CallSettings } from './ClientRuntime.js'
import type { PreparedRequest } from './request/prepareRequest.js'
import type { HttpRequest } from './transport/Transport.js'

/** Builds and tests replace this with the package version. */
declare const PAYMENTS_RX_VERSION: string

export const VERSION = typeof PAYMENTS_RX_VERSION === 'string' ? PAYMENTS_RX_VERSION : 'unbuilt'

// headers of a caller

/** Headers that the client sets, with the option that each comes from. */
const SET_BY_OPTION: ReadonlyMap<string, string> = new Map([
  ['authorization', 'credentials'],
  ['x-client-id', 'credentials'],
  ['x-api-key', 'credentials'],
  ['x-login-as', 'credentials'],
  ['x-api-version', 'apiVersion'],
  ['x-on-behalf-of', 'onBehalfOf'],
])

/** Headers that the client or `fetch` always sets. */
const SET_ALWAYS: ReadonlySet<string> = new Set([
  ...['accept', 'content-type', 'user-agent', 'content-length', 'host', 'connection', 'expect'],
  ...['keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
])

/** Headers that carry a parameter of a call. */
const PARAMETERS: ReadonlySet<string> = new Set(
  rows
    .flatMap(({ at }) => Object.values(at))
    .filter((place) => place?.startsWith('header '))
    .map((place) => place?.slice('header '.length) ?? ''),
)

/** Returns the reason why a header must not be added to requests; `undefined` if there is none. */
export const unfitHeader = (name: string): string | undefined => {
  const lower = name.toLowerCase()
  const option = SET_BY_OPTION.get(lower)
  if (option !== undefined) return `omitted: the client sets it from the option ${option}`
  if (SET_ALWAYS.has(lower)) return 'omitted: the client sets it'
  if (PARAMETERS.has(lower)) return 'omitted: it is a parameter of a call'
  return /^[!#$%&'*+.^_`|~\w-]+$/.test(name) ? undefined : 'named as a header can be'
}

/** Matches names of headers whose values must not appear in failures. */
const SECRET_NAME = /auth|cookie|credential|key|pass|secret|signature|token/

/** Returns the values of added headers whose names suggest a secret. */
export const secretHeaders = (headers: CallSettings['headers']): ReadonlyArray<string> =>
  Object.entries(headers).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value] : []))

// requests

export const httpRequest =
  (
    { baseUrl, apiVersion, onBehalfOf, timeout, headers: added }: CallSettings,
    { auth }: AnyEndpoint,
  ) =>
  ({ method, target, headers, body }: PreparedRequest, authorization: string): HttpRequest => ({
    method,
    url: `${baseUrl}${target}`,
    headers: {
      ...added,
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': `payments-rx/${VERSION}`,
      ...(authorization === '' ? {} : { authorization }),
      ...(apiVersion === undefined || auth === 'basic' ? {} : { 'x-api-version': apiVersion }),
      ...(onBehalfOf === undefined || auth !== 'bearer' ? {} : { 'x-on-behalf-of': onBehalfOf }),
      ...headers,
    },
    ...withoutUndefined({ body }),
    timeout,
  })
