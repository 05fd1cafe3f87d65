import { defer, finalize, map } from 'rxjs'
import type { AnyEndpoint } from '../api/Endpoint.js'
import { fieldsOf } from '../decode/unknown.js'
import { E, type IO, O, pipe } from '../fp.js'
import { left, type Millis, type ObservableEither, retry } from '../stream/index.js'
import type { Read } from './answer.js'
import { isInProgressBy } from './codes.js'
import type { Failure } from './Failure.js'
import { invalidRequest } from './invalidRequest.js'
import { redacted } from './redacted.js'
import { isIdentified, isKnown, isUnsure, mayRepeat } from './replay.js'
import { type Asked, request } from './request.js'
import type { Session, Settings, Slot } from './Session.js'
import { type Attempts, send } from './send.js'
import { unclear } from './unclear.js'
import { unfitParams } from './unfitParams.js'

/** What a call comes to, one row and one set of parameters at a time. Cold; emits one value. */
export type Ask = <A>(params: unknown, read: Read<A>) => ObservableEither<Failure, A>

/** Checks the parameters, sends them, reads the answer, and sends again what may be sent again. */
export const ask = (
  session: Session,
  settings: Settings,
  row: AnyEndpoint,
  slotOf: (asked: Asked) => Slot = ({ path }) => ({ endpoint: row.route, path }),
): Ask => {
  const prepare = request(row, { check: settings.check, now: () => session.timer.now() })
  const ofKnown = isInProgressBy(session.codes)
  const ofUnknown = isInProgressBy(session.codes, false)
  const sent = send(session, settings, row, slotOf)

  return (params, read) => {
    // of the call, not of a subscription: whoever subscribes again means the same
    const requestId = once(session.uuid)
    return defer(() => {
      const wrong = unfitParams(row.params, params)
      if (wrong !== undefined) return left(invalidRequest(row.route, wrong))
      const given = row.repeatable === 'by request_id' ? identified(params, requestId) : params
      const asked = prepare(given)
      if (E.isLeft(asked)) return left(invalidRequest(row.route, asked.left))
      const repeating = isIdentified(row, given) ? row : { ...row, repeatable: undefined }
      const isInProgress = isKnown(repeating) ? ofKnown : ofUnknown
      const attempts: Attempts = { count: 0 }
      let unsure = false
      let spent = false // all that the client may try again
      let taken = 0 // after so many attempts: a turn of those

      const pauseAfter = (attempt: number): O.Option<Millis> =>
        pipe(
          session.backoff(attempt),
          O.chain((ms) => {
            const turn = session.budget.take()
            spent = O.isNone(turn)
            if (!spent) taken = attempts.count
            return pipe(
              turn,
              O.map((wait) => Math.max(ms, wait)),
            )
          }),
        )

      const after = (failure: Failure, attempt: number): O.Option<number> => {
        // the login's: it was repeated by itself, and says nothing of what became of this call
        if (failure.endpoint !== row.route) return O.none
        unsure ||= isUnsure(failure, isInProgress)
        if (!mayRepeat(repeating, failure, isInProgress)) return O.none
        const pause = pauseAfter(attempt)
        if (O.isSome(pause)) {
          const why = redacted(failure)
          session.emit({ _tag: 'Repeating', endpoint: row.route, failure: why, pause: pause.value })
        }
        return pause
      }

      return sent(asked.right, attempts).pipe(
        map(E.chain(({ asking, answer }) => read(asking)(answer))),
        retry(after, session.timer),
        map(E.mapLeft((failure) => (spent ? notAgain(failure) : failure))),
        finalize(() => {
          if (taken > 0 && taken === attempts.count) session.budget.giveBack() // it was never sent
        }),
        map(
          E.mapLeft((failure) => (unsure ? unclear(row, given, attempts.count, failure) : failure)),
        ),
      )
    })
  }
}

/** Made when it is first asked for. */
const once = (make: IO<string>): IO<string> => {
  let made: string | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** The same in every attempt, so that it is done once however often it is sent. */
const identified = (params: unknown, uuid: IO<string>): unknown => {
  const { request_id, ...rest } = fieldsOf(params)
  // null is none, and no reason to make another one
  return { ...rest, request_id: request_id === undefined ? uuid() : request_id }
}

const notAgain = (failure: Failure): Failure => ({
  ...failure,
  message: `${failure.message} (not tried again: too many others are, see retry.budget)`,
})
