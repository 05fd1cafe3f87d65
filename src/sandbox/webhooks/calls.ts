/** What can be done with webhooks, whosever they are. */
import type { NewWebhook, Webhook, WebhookWithSecret } from '../../codec/Webhook.js'
import { E, flow, O, pipe } from '../../fp.js'
import { type ApiError, required } from '../ApiError.js'
import { byId } from '../byId.js'
import { add, isTaken, next, put, remove } from '../Collection.js'
import type { CallContext } from '../Context.js'
import type { Handle } from '../Handler.js'
import { success } from '../Result.js'
import type { Store } from '../Store.js'
import type { Owner } from './Owner.js'
import { newHook, type StoredWebhook, webhookOf } from './StoredWebhook.js'
import { problemOf } from './scopes.js'

/** By which a webhook is found. */
interface Named {
  readonly id: string
}

export const findHook =
  ({ kind, of }: Owner) =>
  (state: Store, id: string, { settings }: CallContext): E.Either<ApiError, StoredWebhook> =>
    byId(kind, id, settings.seed)(of(state))

export const create =
  (owner: Owner): Handle<NewWebhook, WebhookWithSecret> =>
  (state, asked, { now, scopes, settings }) => {
    const { request_id } = asked
    const hooks = owner.of(state)
    if (request_id === undefined) return [required('request_id'), state]
    if (isTaken(request_id)(hooks)) return [owner.repeated, state]
    const problem = problemOf(asked, scopes)
    if (O.isSome(problem)) return [problem.value, state]
    const hook = newHook(next(hooks), request_id, asked, now)
    return [
      success(webhookOf(owner.kind, settings.seed)(hook)),
      owner.with(state, add(hook)(hooks)),
    ]
  }

export const retrieve =
  (owner: Owner): Handle<Named, Webhook> =>
  (state, { id }, context) => {
    const result = pipe(
      findHook(owner)(state, id, context),
      E.map(flow(webhookOf(owner.kind, context.settings.seed), success)),
      E.toUnion,
    )
    return [result, state]
  }

/** Only the URL can be updated (interface, Webhooks). */
export const update =
  (owner: Owner): Handle<Named & { readonly url: string }, Webhook> =>
  (state, { id, url }, context) => {
    const hook = findHook(owner)(state, id, context)
    if (E.isLeft(hook)) return [hook.left, state]
    const updated = { ...hook.right, url, updatedAt: context.now }
    return [
      success(webhookOf(owner.kind, context.settings.seed)(updated)),
      owner.with(state, put(updated)(owner.of(state))),
    ]
  }

/** The state without it, if there is one. */
export const without =
  (owner: Owner) =>
  (state: Store, id: string, context: CallContext): E.Either<ApiError, Store> =>
    pipe(
      findHook(owner)(state, id, context),
      E.map(({ n }) => owner.with(state, remove(n)(owner.of(state)))),
    )
