/** From a request that was let in to its reply: who asks, what for, and what the handler says. Pure. */
import { E, pipe } from '../fp.js'
import type { ApiError } from './ApiError.js'
import { encoded } from './account/ascii.js'
import { authorise } from './auth.js'
import type { CallContext, Context } from './Context.js'
import type { Outcome } from './Handler.js'
import type { Service } from './handlers/index.js'
import { decoded, given, type RequestParts } from './params.js'
import { type Reply, refused, textual, whole } from './Reply.js'
import type { Store } from './Store.js'
import { versionOf } from './version.js'

const replied =
  ({ row }: Service) =>
  ([result, next]: Outcome<unknown>): readonly [Reply, Store] => {
    switch (result._tag) {
      case 'Success':
        return [whole(row.status, encoded(JSON.stringify(row.success.encode(result.value)))), next]
      case 'Json':
        return [whole(row.status, result.bytes), next]
      case 'Text':
        return [textual(row.status, result.text), next]
      case 'ApiError':
        return [refused(result), next]
    }
  }

const performed = (
  { row, handle }: Service,
  asked: RequestParts,
  state: Store,
  context: CallContext,
): E.Either<ApiError, Outcome<unknown>> =>
  pipe(
    given(row)(asked),
    E.chain((params) =>
      typeof handle === 'function'
        ? pipe(
            decoded(row)(params),
            E.map((value) => handle(state, value, context)),
          )
        : pipe(
            handle.read(params),
            E.map((perform) => perform(state, context)),
          ),
    ),
  )

export const respond =
  (service: Service, asked: RequestParts) =>
  (state: Store, context: Context): readonly [Reply, Store] =>
    pipe(
      E.Do,
      E.bind('scopes', () => authorise(service.row, asked.headers, state, context)),
      E.bind('version', () => versionOf(asked.headers, context.settings)),
      E.chain((who) => performed(service, asked, state, { ...context, ...who })),
      E.match((apiError): readonly [Reply, Store] => [refused(apiError), state], replied(service)),
    )
