/** Converts an admitted request to a reply: checks credentials, version and parameters, and calls the handler. */

import { type AnyEndpoint, method } from '../../api/Endpoint.js'
import { PlainDate } from '../../codec/times.js'
import { parseWithDigits } from '../../decode/digits.js'
import { causes, stringifyExact } from '../../decode/index.js'
import { isRecord, ROW_LEVELS } from '../../decode/unknown.js'
import { E, pipe } from '../../fp.js'
import type { Settings } from '../options.js'
import {
  type ApiError,
  apiError,
  errorReply,
  type HandlerResult,
  invalid,
  jsonReply,
  type Reply,
  required,
  textReply,
} from '../Reply.js'
import type { SandboxStore } from '../Store.js'
import { authorize, credentialsInvalid } from './authentication.js'
import type { RawParams } from './Handler.js'
import type { Service } from './index.js'

export const respond = (
  service: Service,
  request: RequestParts,
  store: SandboxStore,
  now: number,
  settings: Settings,
): Reply => {
  const { row } = service
  const result = handle(service, request, store, now, settings)
  switch (result._tag) {
    case 'Success':
      return jsonReply(row.status, Buffer.from(stringifyExact(row.success.encode(result.value))))
    case 'Json':
      return jsonReply(row.status, result.body)
    case 'Text':
      return textReply(row.status, result.text)
    case 'ApiError':
      return errorReply(result)
  }
}

const handle = (
  { row, handler }: Service,
  request: RequestParts,
  store: SandboxStore,
  now: number,
  settings: Settings,
): HandlerResult<unknown> => {
  const scopes = authorize(row, request.headers, store, now, settings)
  if (E.isLeft(scopes)) return scopes.left
  const version = versionOf(request.headers, settings)
  if (E.isLeft(version)) return version.left
  const params = readParams(row, request)
  if (E.isLeft(params)) return params.left
  const context = { now, settings, version: version.right, scopes: scopes.right }
  if (typeof handler !== 'function') return handler.raw(store, params.right, context)
  const decoded = decodeParams(row, params.right)
  return E.isLeft(decoded) ? decoded.left : handler(store, decoded.right, context)
}

const incorrectVersion = apiError(
  400,
  'incorrect_version',
  'x-api-version must be a date in the form YYYY-MM-DD.',
  'x-api-version',
)

/** Returns the API version of a call. The header is our assumption: not in the API description. */
const versionOf = (headers: Headers, { apiVersion }: Settings): E.Either<ApiError, string> => {
  const version = headers.get('x-api-version') ?? apiVersion
  return PlainDate.is(version) ? E.right(version) : E.left(incorrectVersion)
}

// parameters

/** The parts of a request that may contain parameters. */
export interface RequestParts {
  readonly headers: Headers
  readonly query: URLSearchParams
  /** Path parameters: the values of the `{name}` placeholders in the route. */
  readonly path: Readonly<Record<string, string>>
  readonly body: string
}

/** Reads the raw parameters from path, query, headers and body. */
const readParams = (row: AnyEndpoint, request: RequestParts): E.Either<ApiError, RawParams> =>
  pipe(
    parseBody(request.body),
    E.chain((body) => collectParams(row, request, body)),
    E.filterOrElse(
      // our client generates a `request_id` if the caller omits it
      ({ request_id }) => row.repeatable !== 'by request_id' || request_id !== undefined,
      () => required('request_id'),
    ),
  )

const decodeParams = (row: AnyEndpoint, params: RawParams): E.Either<ApiError, unknown> =>
  pipe(
    row.params.decode(params),
    E.mapLeft((errors) => {
      const [{ path, expected, actual }] = causes(errors)
      if (row.auth === 'none') return credentialsInvalid
      if (row.errors[400]?.includes('validation_error') === true) {
        return apiError(400, 'validation_error', `${path} must be ${expected}.`)
      }
      return actual === 'missing' ? required(path) : invalid(`${path} must be ${expected}.`, path)
    }),
  )

const notJson = invalid('The body is not JSON.')

const notAnObject = invalid('The body is not a JSON object.')

/** Error for a body that could not be sent back, because `JSON.stringify` fails beyond a few thousand levels. */
const tooDeep = invalid(`The body is nested more than ${ROW_LEVELS} levels deep.`)

const parseBody = (body: string): E.Either<ApiError, unknown> =>
  body === ''
    ? E.right({})
    : pipe(
        E.tryCatch(
          () => parseWithDigits(body),
          () => notJson,
        ),
        E.filterOrElse(
          (u) => !isDeeper(u, ROW_LEVELS),
          () => tooDeep,
        ),
      )

const isDeeper = (u: unknown, levels: number): boolean =>
  typeof u === 'object' &&
  u !== null &&
  (levels === 0 || Object.values(u).some((one) => isDeeper(one, levels - 1)))

const collectParams = (
  row: AnyEndpoint,
  request: RequestParts,
  body: unknown,
): E.Either<ApiError, RawParams> => {
  const isPost = method(row.route) === 'POST'
  const isWhole = Object.values(row.at).includes('whole body')
  if (isPost && !isWhole && !isRecord(body)) return E.left(notAnObject)
  const query = readQuery(request.query)
  const unplaced = isPost ? (isWhole ? {} : body) : query
  const placed = Object.entries(row.at).flatMap(([name, place]) => {
    const value =
      place === 'whole body'
        ? body
        : place === 'query'
          ? query[name]
          : (request.headers.get(place?.slice('header '.length) ?? '') ?? undefined)
    return value === undefined ? [] : [[name, value] as const]
  })
  return E.right({
    ...Object.fromEntries(
      Object.entries(unplaced ?? {}).filter(([name]) => row.at[name] === undefined),
    ),
    ...Object.fromEntries(placed),
    ...request.path,
  })
}

/** Reads a query. A repeated name becomes an array. */
const readQuery = (query: URLSearchParams): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Array.from(new Set(query.keys()), (name) => {
      const all = query.getAll(name)
      return [name, all.length > 1 ? all : all[0]]
    }),
  )
