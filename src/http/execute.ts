import { defer } from 'rxjs'
import { type AnyEndpoint, isList } from '../api/Endpoint.js'
import type { Cause, Causes } from '../decode/causes.js'
import { redact } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import { E, memoized, pipe } from '../fp.js'
import { left } from '../stream/index.js'
import { Call } from './Call.js'
import type { CallSettings, ClientRuntime, Execute } from './ClientRuntime.js'
import { invalidParams, invalidRequest } from './request/invalidParams.js'
import { prepareRequest } from './request/prepareRequest.js'
import type { KnownSecrets } from './secrets.js'

/** Checks the parameters, sends them, reads the response, and tries again where that is safe. */
export const execute =
  (runtime: ClientRuntime, settings: CallSettings) =>
  (row: AnyEndpoint): Execute => {
    const { check } = settings
    const { now, secrets, uuid } = runtime
    const prepare = prepareRequest(row, { check, now })
    return (params, read, options = {}) => {
      // one for all subscriptions: subscribing again repeats the same call
      const requestId = memoized(uuid)
      return defer(() => {
        // those of a list are checked once for all its pages. A null is rejected by the check, not replaced
        const invalid = isList(row) ? undefined : invalidParams(row.params, params, check)
        const isGenerated =
          row.repeatable === 'by request_id' && fieldsOf(params).request_id === undefined
        const prepared = pipe(
          invalid === undefined ? E.right(params) : E.left(invalid),
          E.chain((given) => (isGenerated ? withRequestId(given, requestId()) : E.right(given))),
          E.chain(prepare),
        )
        if (E.isLeft(prepared)) {
          return left(invalidRequest(row.route, scrubbed(secrets, prepared.left)))
        }
        const isRepeat = isGenerated || options.isRepeat === true
        const call = new Call(runtime, settings, row, prepared.right, isRepeat)
        return call.run(read, options.lookUp, isGenerated ? requestId() : undefined)
      })
    }
  }

/** Leaves out a shown value that repeats a secret of the client. */
const scrubbed = (secrets: KnownSecrets, [first, ...more]: Causes): Causes => {
  const scrub = (cause: Cause): Cause => ({ ...cause, actual: secrets.scrub(cause.actual) })
  return [scrub(first), ...more.map(scrub)]
}

/** `generated` comes from an option, so it may be anything. */
const withRequestId = (params: unknown, generated: unknown): E.Either<Causes, unknown> => {
  if (typeof generated === 'string' && generated !== '') {
    return E.right({ ...fieldsOf(params), request_id: generated })
  }
  const expected = 'a text that is not empty, as the option uuid should make it'
  return E.left([{ path: 'request_id', expected, actual: redact(generated) }])
}
