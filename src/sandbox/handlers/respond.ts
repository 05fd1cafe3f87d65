/** From a request that the limits let in to its reply: credentials, version, parameters, handler. */
import { PlainDate } from '../../codec/times.js'
import { E } from '../../fp.js'
import type { Settings } from '../options.js'
import { type ApiError, apiError, type Result } from '../results.js'
import type { Store } from '../Store.js'
import { errorReply, jsonReply, type Reply, textReply } from '../serve/Reply.js'
import { authorize } from './authentication.js'
import type { Service } from './index.js'
import { decodeParams, type RequestParts, readParams } from './requestParams.js'

export const respond = (
  service: Service,
  request: RequestParts,
  store: Store,
  now: number,
  settings: Settings,
): Reply => {
  const { row } = service
  const result = handle(service, request, store, now, settings)
  switch (result._tag) {
    case 'Success':
      return jsonReply(row.status, Buffer.from(JSON.stringify(row.success.encode(result.value))))
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
  store: Store,
  now: number,
  settings: Settings,
): Result<unknown> => {
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
  'x-api-version must be a date as YYYY-MM-DD.',
  'x-api-version',
)

/** The header is a default, not specified by the interface document. */
const versionOf = (headers: Headers, { apiVersion }: Settings): E.Either<ApiError, string> => {
  const version = headers.get('x-api-version') ?? apiVersion
  return PlainDate.is(version) ? E.right(version) : E.left(incorrectVersion)
}
