/** Reads the parameters of an endpoint from a request: its row says where a client puts them. */
import { type AnyEndpoint, method } from '../../api/Endpoint.js'
import { causes } from '../../decode/index.js'
import { ROW_LEVELS } from '../../decode/levels.js'
import { isRecord } from '../../decode/unknown.js'
import { E, pipe } from '../../fp.js'
import { type ApiError, apiError, invalid, required } from '../results.js'
import { credentialsInvalid } from './authentication.js'
import type { RawParams } from './Handler.js'

// model

/** The parts of a request that may hold parameters. */
export interface RequestParts {
  readonly headers: Headers
  readonly query: URLSearchParams
  /** Values of the names in braces of the route. */
  readonly path: Readonly<Record<string, string>>
  readonly body: string
}

// functions

/** The parameters as they came, each from its place. */
export const readParams = (
  row: AnyEndpoint,
  request: RequestParts,
): E.Either<ApiError, RawParams> =>
  pipe(
    parseBody(request.body),
    E.chain((body) => collectParams(row, request, body)),
    E.filterOrElse(
      // a client generates a `request_id` that its caller leaves out
      ({ request_id }) => row.repeatable !== 'by request_id' || request_id !== undefined,
      () => required('request_id'),
    ),
  )

/** The parameters as the codec of the endpoint decodes them. */
export const decodeParams = (row: AnyEndpoint, params: RawParams): E.Either<ApiError, unknown> =>
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

/** It could not be sent back: `JSON.stringify` fails at some thousands of levels. */
const tooDeep = invalid(`The body has more than ${ROW_LEVELS} levels.`)

const parseBody = (body: string): E.Either<ApiError, unknown> =>
  body === ''
    ? E.right({})
    : pipe(
        E.tryCatch(
          (): unknown => JSON.parse(body),
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
  const usual = isPost ? (isWhole ? {} : body) : query
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
      Object.entries(usual ?? {}).filter(([name]) => row.at[name] === undefined),
    ),
    ...Object.fromEntries(placed),
    ...request.path,
  })
}

/** A name that occurs more than once is an array. */
const readQuery = (query: URLSearchParams): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Array.from(new Set(query.keys()), (name) => {
      const all = query.getAll(name)
      return [name, all.length > 1 ? all : all[0]]
    }),
  )
