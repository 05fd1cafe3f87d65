import { defer, finalize, map, merge, type SchedulerLike, take, tap } from 'rxjs'
import { type AnyEndpoint, method, template } from '../api/Endpoint.js'
import type { Cause, Causes } from '../decode/causes.js'
import { redact } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import { defined, E, type IO, memoized } from '../fp.js'
import {
  left,
  type Millis,
  mapLeft,
  type ObservableEither,
  orElse,
  retry,
} from '../stream/index.js'
import { later } from '../stream/later.js'
import { type Answer, answerReader, valueReader } from './answer/readAnswer.js'
import { type FailureSummary, summarize } from './ClientEvent.js'
import type { CallSettings, CallSpec, ClientRuntime, Execute } from './ClientRuntime.js'
import type { Failure } from './Failure.js'
import { invalidParams, invalidRequest } from './request/invalidParams.js'
import { prepareRequest } from './request/prepareRequest.js'
import { type Attempts, RetryPolicy } from './retry/RetryPolicy.js'
import { type Recovery, recover } from './retry/recover.js'
import type { KnownSecrets } from './secrets.js'
import { sendWithRetry } from './sendWithRetry.js'
import type { HttpResponse } from './transport/Transport.js'

/** Checks the parameters, sends them, reads the response, and retries after faults where that is safe. */
export const execute =
  (runtime: ClientRuntime, settings: CallSettings) =>
  (row: AnyEndpoint): Execute => {
    const { deadline } = settings
    const { timer } = runtime
    const prepare = prepareRequest(row, { check: settings.check, now: runtime.now })
    const send = sendWithRetry(runtime, settings)(row)

    return (params, read, resolve = left) => {
      // one for all subscriptions: subscribing again repeats the same call
      const requestId = memoized(runtime.uuid)
      return defer(() => {
        // null is rejected by the check, not replaced
        const isGenerated =
          row.repeatable === 'by request_id' && fieldsOf(params).request_id === undefined
        const given = isGenerated ? withRequestId(params, requestId()) : E.right(params)
        const prepared = E.chain(prepare)(given)
        if (E.isLeft(prepared)) {
          return left(invalidRequest(row.route, scrubbed(runtime.secrets, prepared.left)))
        }
        const call = runtime.nextCall()
        const attempts: Attempts = {
          call,
          count: 0,
          queuedAt: 0,
          sendBy: Number.POSITIVE_INFINITY,
          retryAfter: 0,
        }
        const ended = startCall(runtime, settings)(row, attempts)
        if (isGenerated) {
          const { route: endpoint } = row
          runtime.emit({ _tag: 'RequestIdGenerated', call, endpoint, requestId: requestId() })
        }

        const { sentParams } = prepared.right
        const withContent = (response: HttpResponse): HttpResponse =>
          row.noContent !== undefined && response.status === 204
            ? { ...response, body: JSON.stringify({ ...sentParams(), ...row.noContent }) }
            : response
        const policy = new RetryPolicy(runtime, settings.retry, row, sentParams, attempts)
        const endsAt = timer.now() + deadline
        const outcome = send(prepared.right, attempts).pipe(
          map(E.chain(({ context, response }) => read(context)(withContent(response)))),
          retry((failure, attempt) => policy.delayAfter(failure, attempt), timer),
          mapLeft((failure) => policy.conclude(failure)),
          finalize(() => {
            attempts.last = undefined
            policy.release()
          }),
        )
        return within(endsAt, timer, outcome, () => policy.expire(deadline)).pipe(
          orElse((failure) =>
            within(endsAt, timer, resolve(failure, sentParams, call), () => failure),
          ),
          ended,
        )
      })
    }
  }

/** Emits a failure in place of what has not come by the time `endsAt`, and unsubscribes from it. */
const within = <A>(
  endsAt: Millis,
  timer: SchedulerLike,
  outcome: ObservableEither<Failure, A>,
  failure: IO<Failure>,
): ObservableEither<Failure, A> =>
  endsAt === Number.POSITIVE_INFINITY
    ? outcome
    : defer(() => {
        const rest = endsAt - timer.now()
        if (rest <= 0) return left(failure())
        const expiry = later(rest, timer).pipe(map(() => E.left(failure())))
        return merge(outcome, expiry).pipe(take(1))
      })

/** Leaves out a shown value that repeats a secret of the client. */
const scrubbed = (secrets: KnownSecrets, [first, ...more]: Causes): Causes => {
  const scrub = (cause: Cause): Cause => ({ ...cause, actual: secrets.scrub(cause.actual) })
  return [scrub(first), ...more.map(scrub)]
}

/** Emits that a call starts, and returns an operator that emits how it ended. */
const startCall =
  ({ emit, timer }: ClientRuntime, { baseUrl }: CallSettings) =>
  ({ route: endpoint }: AnyEndpoint, attempts: Attempts) => {
    const { call } = attempts
    const startedAt = timer.now()
    let isOver = false
    const end = (outcome: 'succeeded' | 'failed' | 'cancelled', failure?: FailureSummary): void => {
      if (isOver) return
      isOver = true
      const took = timer.now() - startedAt
      const { count } = attempts
      emit({
        _tag: 'Ended',
        call,
        endpoint,
        outcome,
        attempts: count,
        ...defined({ failure }),
        took,
      })
    }
    emit({
      _tag: 'Started',
      call,
      endpoint,
      method: method(endpoint),
      template: template(endpoint),
      baseUrl,
    })
    const observer = {
      next: E.match(
        (failure: Failure) => end('failed', summarize(failure)),
        () => end('succeeded'),
      ),
      error: () => end('failed'),
      finalize: () => end('cancelled'),
    }
    return <A>(source: ObservableEither<Failure, A>) =>
      source.pipe(tap<E.Either<Failure, A>>(observer))
  }

/** `generated` comes from an option, so it may be anything. */
const withRequestId = (params: unknown, generated: unknown): E.Either<Causes, unknown> => {
  if (typeof generated === 'string' && generated !== '') {
    return E.right({ ...fieldsOf(params), request_id: generated })
  }
  const expected = 'a text that is not empty, as the option uuid should make it'
  return E.left([{ path: 'request_id', expected, actual: redact(generated) }])
}

export interface ReadOneSpec<A> extends CallSpec<A> {
  /** Looks up the outcome of an ambiguous write, for rows that name a list to find it in. */
  readonly recovery: Recovery | undefined
}

/** Makes the calls of a row that responds with one value, beside which they emit the response. */
export const readOne = <A>({
  row,
  execute,
  check,
  decode,
  parseText,
  recovery,
}: ReadOneSpec<A>): ((params: unknown) => ObservableEither<Failure, Answer<A>>) => {
  const read = answerReader(valueReader(decode, parseText, row.answer))
  const resolve = recovery && recover(recovery, decode, parseText)
  return (params) => {
    const outcome = execute(params, read, resolve)
    return defer(() => {
      const invalid = invalidParams(row.params, params, check)
      return invalid === undefined ? outcome : left(invalidRequest(row.route, invalid))
    })
  }
}
