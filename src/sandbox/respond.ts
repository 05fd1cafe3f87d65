/** From a request that was let in to its reply: who asks, what for, and what the handler says. Pure. */
import { E, pipe } from '../fp.js'
import { encoded } from './account/ascii.js'
import type { Asking, Context } from './Context.js'
import type { Outcome } from './Handler.js'
import type { Service } from './handlers/index.js'
import { type Asked, decoded, given } from './params.js'
import type { Refusal } from './Refusal.js'
import { type Reply, refused, textual, whole } from './Reply.js'
import type { State } from './State.js'
import { authorise } from './token.js'
import { versionOf } from './version.js'

const replied =
  ({ row }: Service) =>
  ([result, next]: Outcome<unknown>): readonly [Reply, State] => {
    switch (result._tag) {
      case 'Success':
        return [whole(row.status, encoded(JSON.stringify(row.success.encode(result.value)))), next]
      case 'Json':
        return [whole(row.status, result.bytes), next]
      case 'Text':
        return [textual(row.status, result.text), next]
      case 'Refusal':
        return [refused(result), next]
    }
  }

const performed = (
  { row, handle }: Service,
  asked: Asked,
  state: State,
  asking: Asking,
): E.Either<Refusal, Outcome<unknown>> =>
  pipe(
    given(row)(asked),
    E.chain((params) =>
      typeof handle === 'function'
        ? pipe(
            decoded(row)(params),
            E.map((value) => handle(state, value, asking)),
          )
        : pipe(
            handle.read(params),
            E.map((perform) => perform(state, asking)),
          ),
    ),
  )

export const respond =
  (service: Service, asked: Asked) =>
  (state: State, context: Context): readonly [Reply, State] =>
    pipe(
      E.Do,
      E.bind('scopes', () => authorise(service.row, asked.headers, state, context)),
      E.bind('version', () => versionOf(asked.headers, context.settings)),
      E.chain((who) => performed(service, asked, state, { ...context, ...who })),
      E.match((refusal): readonly [Reply, State] => [refused(refusal), state], replied(service)),
    )
