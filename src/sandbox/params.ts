/** Reads from a request what its row asks for; the same row says where the client put it. */
import { type AnyEndpoint, method } from '../api/Endpoint.js'
import { causes } from '../decode/index.js'
import { ROW_LEVELS } from '../decode/levels.js'
import { isRecord } from '../decode/unknown.js'
import { E, pipe } from '../fp.js'
import { type ApiError, apiError, invalid, required } from './ApiError.js'
import { credentialsInvalid } from './auth.js'
import type { RawParams } from './Handler.js'

// model

/** A request as far as parameters go. */
export interface RequestParts {
  readonly headers: Headers
  readonly query: URLSearchParams
  /** What the braces of the route stand for. */
  readonly path: Readonly<Record<string, string>>
  readonly body: string
}

// constructors

const notJson = invalid('The body is not JSON.')

const notAnObject = invalid('The body is not a JSON object.')

/** It could not be answered again: `JSON.stringify` gives up at some thousands of levels. */
const tooDeep = invalid(`The body has more than ${ROW_LEVELS} levels.`)

const isDeeper = (u: unknown, levels: number): boolean =>
  typeof u === 'object' &&
  u !== null &&
  (levels === 0 || Object.values(u).some((one) => isDeeper(one, levels - 1)))

const parsed = (body: string): E.Either<ApiError, unknown> =>
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

/** All is text in a query; a name that is there more than once is a list. */
const fromQuery = (query: URLSearchParams): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Array.from(new Set(query.keys()), (name) => {
      const all = query.getAll(name)
      return [name, all.length > 1 ? all : all[0]]
    }),
  )

const placed = (row: AnyEndpoint, { headers, query }: RequestParts, body: unknown) =>
  Object.entries(row.at).flatMap(([name, place]): ReadonlyArray<readonly [string, unknown]> => {
    const value =
      place === 'whole body'
        ? body
        : place === 'query'
          ? fromQuery(query)[name]
          : (headers.get(place?.slice('header '.length) ?? '') ?? undefined)
    return value === undefined ? [] : [[name, value]]
  })

const raw = (row: AnyEndpoint, asked: RequestParts): E.Either<ApiError, RawParams> =>
  pipe(
    parsed(asked.body),
    E.chain((body) => {
      const whole = Object.values(row.at).includes('whole body')
      if (method(row.route) === 'POST' && !whole && !isRecord(body)) return E.left(notAnObject)
      const given = method(row.route) === 'GET' ? fromQuery(asked.query) : whole ? {} : body
      const usual = Object.entries(given ?? {}).filter(([name]) => row.at[name] === undefined)
      return E.right(
        Object.fromEntries([...usual, ...placed(row, asked, body), ...Object.entries(asked.path)]),
      )
    }),
  )

// combinators

const refusalOf =
  (row: AnyEndpoint) =>
  (errors: Parameters<typeof causes>[0]): ApiError => {
    const [cause] = causes(errors)
    if (row.auth === 'none') return credentialsInvalid
    if (row.errors[400]?.includes('validation_error') === true) {
      return apiError(400, 'validation_error', `${cause.path} must be ${cause.expected}.`)
    }
    return cause.actual === 'missing'
      ? required(cause.path)
      : invalid(`${cause.path} must be ${cause.expected}.`, cause.path)
  }

/** The parameters of a call as they came, each from its place; or why they are refused. */
export const given =
  (row: AnyEndpoint) =>
  (asked: RequestParts): E.Either<ApiError, RawParams> =>
    pipe(
      raw(row, asked),
      E.filterOrElse(
        ({ request_id }) => row.repeatable !== 'by request_id' || request_id !== undefined,
        () => required('request_id'), // a client that leaves it out has generated one
      ),
    )

/** The same as the row has them, or why they are refused. */
export const decoded =
  (row: AnyEndpoint) =>
  (params: RawParams): E.Either<ApiError, unknown> =>
    pipe(row.params.decode(params), E.mapLeft(refusalOf(row)))
