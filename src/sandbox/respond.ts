/** From a request that was let in to its reply: who asks, what for, and what the handler says. Pure. */
import { E, pipe } from '../fp.js'
import type { Context, Refusal } from './Answer.js'
import { encoded } from './account/ascii.js'
import type { Service } from './handlers/index.js'
import { type Asked, params } from './params.js'
import { type Reply, refused, whole } from './Reply.js'
import type { State } from './State.js'
import { authorise } from './token.js'

const perform =
  ({ row, handle }: Service, state: State, context: Context) =>
  (decoded: unknown): readonly [Reply, State] => {
    const [answer, next] = handle(state, decoded, context)
    switch (answer._tag) {
      case 'Success':
        return [whole(row.status, encoded(JSON.stringify(row.success.encode(answer.value)))), next]
      case 'Json':
        return [whole(row.status, answer.bytes), next]
      case 'Refusal':
        return [refused(answer), next]
    }
  }

export const respond =
  (service: Service, asked: Asked) =>
  (state: State, context: Context): readonly [Reply, State] =>
    pipe(
      authorise(service.row.auth, asked.headers.get('authorization') ?? '', state, context),
      E.chain(() => params(service.row)(asked)),
      E.match(
        (refusal: Refusal): readonly [Reply, State] => [refused(refusal), state],
        perform(service, state, context),
      ),
    )
