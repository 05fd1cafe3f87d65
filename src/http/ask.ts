import { defer, finalize, map } from 'rxjs'
import type { AnyEndpoint } from '../api/Endpoint.js'
import type { Causes } from '../decode/causes.js'
import { redact } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import { E, type IO, memoized } from '../fp.js'
import { left, mapLeft, type ObservableEither, orElse, retry } from '../stream/index.js'
import type { Read } from './answer/answer.js'
import type { Engine } from './Engine.js'
import type { Failure } from './Failure.js'
import { repeats } from './replay/Repeats.js'
import { invalidRequest } from './request/invalidRequest.js'
import { type Asked, request } from './request/request.js'
import { unfitParams } from './request/unfitParams.js'
import type { Settings } from './Settings.js'
import type { Slot } from './Slot.js'
import { type Attempts, send } from './send.js'

/**
 * What a call comes to, one row and one set of parameters at a time. Cold; emits one value. A failure is told as
 * `settle` has it, which is given the parameters that the call carried.
 */
export type Ask = <A>(
  params: unknown,
  read: Read<A>,
  settle?: (failure: Failure, written: Asked['written']) => ObservableEither<Failure, A>,
) => ObservableEither<Failure, A>

/** Checks the parameters, sends them, reads the answer, and sends again what may be sent again. */
export const ask =
  (engine: Engine, settings: Settings) =>
  (
    row: AnyEndpoint,
    slotOf: (asked: Asked) => Slot = ({ path }) => ({ endpoint: row.route, path }),
  ): Ask => {
    const prepare = request(row, { check: settings.check, now: () => engine.timer.now() })
    const sent = send(engine, settings)(row, slotOf)
    const repeatsOf = repeats(engine, row)

    return (params, read, settle = left) => {
      // of the call, not of a subscription: whoever subscribes again means the same
      const requestId = memoized(engine.uuid)
      return defer(() => {
        const wrong = unfitParams(row.params, params)
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
