/** What can be done with webhooks, whosever they are. */
import type { NewWebhook, Webhook, WebhookWithSecret } from '../../codec/Webhook.js'
import { E, flow, O, pipe } from '../../fp.js'
import { byId } from '../byId.js'
import type { Asking } from '../Context.js'
import type { Handle } from '../Handler.js'
import { type Refusal, required } from '../Refusal.js'
import { add, isTaken, next, put, remove } from '../Register.js'
import { success } from '../Result.js'
import type { State } from '../State.js'
import { type Hook, newHook, webhookOf } from './Hook.js'
import type { Owner } from './Owner.js'
import { problemOf } from './scopes.js'

/** By which a webhook is found. */
interface Named {
  readonly id: string
}

export const findHook =
  ({ kind, of }: Owner) =>
  (state: State, id: string, { settings }: Asking): E.Either<Refusal, Hook> =>
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
  (state, { id }, asking) => {
    const result = pipe(
      findHook(owner)(state, id, asking),
      E.map(flow(webhookOf(owner.kind, asking.settings.seed), success)),
      E.toUnion,
    )
    return [result, state]
  }

/** Only the URL can be updated (interface, Webhooks). */
export const update =
  (owner: Owner): Handle<Named & { readonly url: string }, Webhook> =>
  (state, { id, url }, asking) => {
    const hook = findHook(owner)(state, id, asking)
    if (E.isLeft(hook)) return [hook.left, state]
    const updated = { ...hook.right, url, updatedAt: asking.now }
    return [
      success(webhookOf(owner.kind, asking.settings.seed)(updated)),
      owner.with(state, put(updated)(owner.of(state))),
    ]
  }

/** The state without it, if there is one. */
export const without =
  (owner: Owner) =>
  (state: State, id: string, asking: Asking): E.Either<Refusal, State> =>
    pipe(
      findHook(owner)(state, id, asking),
      E.map(({ n }) => owner.with(state, remove(n)(owner.of(state)))),
    )
