import { defer, finalize, map } from 'rxjs'
import type { AnyEndpoint } from '../api/Endpoint.js'
import type { Causes } from '../decode/causes.js'
import { redact } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import { E, type IO, memoized } from '../fp.js'
import { left, mapLeft, type ObservableEither, orElse, retry } from '../stream/index.js'
import type { ResponseReader } from './answer/readAnswer.js'
import type { CallSettings } from './CallSettings.js'
import type { ClientRuntime } from './ClientRuntime.js'
import type { Failure } from './Failure.js'
import type { RateLimitKey } from './RateLimitKey.js'
import { invalidParams } from './request/invalidParams.js'
import { invalidRequest } from './request/invalidRequest.js'
import { type PreparedRequest, prepareRequest } from './request/prepareRequest.js'
import { retryPolicy } from './retry/retryPolicy.js'
import { type Attempts, sendWithRetry } from './sendWithRetry.js'

/**
 * What a call comes to, one row and one set of parameters at a time. Cold; emits one value. A failure is told as
 * `settle` has it, which is given the parameters that the call carried.
 */
export type Execute = <A>(
  params: unknown,
  read: ResponseReader<A>,
  settle?: (failure: Failure, written: PreparedRequest['written']) => ObservableEither<Failure, A>,
) => ObservableEither<Failure, A>

/** Checks the parameters, sends them, reads the answer, and sends again what may be sent again. */
export const execute =
  (engine: ClientRuntime, settings: CallSettings) =>
  (
    row: AnyEndpoint,
    slotOf: (asked: PreparedRequest) => RateLimitKey = ({ path }) => ({
      endpoint: row.route,
      path,
    }),
  ): Execute => {
    const prepare = prepareRequest(row, { check: settings.check, now: () => engine.timer.now() })
    const sent = sendWithRetry(engine, settings)(row, slotOf)
    const repeatsOf = retryPolicy(engine, row)

    return (params, read, settle = left) => {
      // of the call, not of a subscription: whoever subscribes again means the same
      const requestId = memoized(engine.uuid)
      return defer(() => {
        const wrong = invalidParams(row.params, params)
        if (wrong !== undefined) return left(invalidRequest(row.route, wrong))
        const given =
          row.repeatable === 'by request_id' ? identified(params, requestId) : E.right(params)
        const asked = E.chain(prepare)(given)
        if (E.isLeft(asked)) return left(invalidRequest(row.route, asked.left))

        const attempts: Attempts = { count: 0 }
        const { written } = asked.right
        const { after, conclude, end } = repeatsOf(written, attempts)
        return sent(asked.right, attempts).pipe(
          map(E.chain(({ asking, answer }) => read(asking)(answer))),
          retry(after, engine.timer),
          mapLeft(conclude),
          finalize(end),
          orElse((failure) => settle(failure, written)),
        )
      })
    }
  }

/** The same in every attempt, so that it is done once however often it is sent. */
const identified = (params: unknown, uuid: IO<unknown>): E.Either<Causes, unknown> => {
  const { request_id, ...rest } = fieldsOf(params)
  // null is none, and no reason to make another one
  if (request_id !== undefined) return E.right({ ...rest, request_id })
  const made = uuid()
  if (typeof made === 'string' && made !== '') return E.right({ ...rest, request_id: made })
  const expected = 'a text that is not empty, as the option uuid should make it'
  return E.left([{ path: 'request_id', expected, actual: redact(made) }])
}
