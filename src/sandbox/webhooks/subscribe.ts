/** What can be done with webhooks, whether they are the account's or a partner's. */
import type { NewWebhook, Webhook, WebhookWithSecret } from '../../codec/Webhook.js'
import { E, O, pipe } from '../../fp.js'
import { byId } from '../byId.js'
import type { Asking } from '../Context.js'
import type { Outcome } from '../Handler.js'
import type { Kind } from '../ids.js'
import { type Refusal, refusal, required } from '../Refusal.js'
import { add, isTaken, next, put, type Register, remove } from '../Register.js'
import { success } from '../Result.js'
import type { State } from '../State.js'
import { type Hook, newHook, webhookOf } from './Hook.js'
import { problemOf } from './scopes.js'

// model

/** Whose webhooks they are. */
export interface Owner {
  readonly kind: Kind
  readonly of: (state: State) => Register<Hook>
  readonly with: (state: State, hooks: Register<Hook>) => State
  /** How a `request_id` that was used before is refused. */
  readonly repeated: Refusal
}

// constructors

const repeated = (status: number, code: string): Refusal =>
  refusal(status, code, 'A webhook with this request_id was made before.', 'request_id')

export const account: Owner = {
  kind: 'webhook',
  of: ({ webhooks }) => webhooks,
  with: (state, webhooks) => ({ ...state, webhooks }),
  repeated: repeated(409, 'already_exists'),
}

export const partner: Owner = {
  kind: 'partner webhook',
  of: ({ partnerWebhooks }) => partnerWebhooks,
  with: (state, partnerWebhooks) => ({ ...state, partnerWebhooks }),
  // partners have no 409 (interface, Errors)
  repeated: repeated(400, 'request_id_duplicate'),
}

// combinators

export const findHook = (
  owner: Owner,
  state: State,
  id: string,
  { settings }: Asking,
): E.Either<Refusal, Hook> => byId(owner.kind, id, settings.seed)(owner.of(state))

export const create = (
  owner: Owner,
  state: State,
  asked: NewWebhook,
  { now, scopes, settings }: Asking,
): Outcome<WebhookWithSecret> => {
  const { request_id } = asked
  const hooks = owner.of(state)
  if (request_id === undefined) return [required('request_id'), state]
  if (isTaken(request_id)(hooks)) return [owner.repeated, state]
  const problem = problemOf(asked, scopes)
  if (O.isSome(problem)) return [problem.value, state]
  const hook = newHook(next(hooks), request_id, asked, now)
  return [success(webhookOf(owner.kind, settings.seed)(hook)), owner.with(state, add(hook)(hooks))]
}

export const retrieve = (
  owner: Owner,
  state: State,
  id: string,
  asking: Asking,
): Outcome<Webhook> => {
  const hook = findHook(owner, state, id, asking)
  return E.isLeft(hook)
    ? [hook.left, state]
    : [success(webhookOf(owner.kind, asking.settings.seed)(hook.right)), state]
}

/** Only the URL can be updated (interface, Webhooks). */
export const update = (
  owner: Owner,
  state: State,
  { id, url }: { readonly id: string; readonly url: string },
  asking: Asking,
): Outcome<Webhook> => {
  const hook = findHook(owner, state, id, asking)
  if (E.isLeft(hook)) return [hook.left, state]
  const updated = { ...hook.right, url, updatedAt: asking.now }
  return [
    success(webhookOf(owner.kind, asking.settings.seed)(updated)),
    owner.with(state, put(updated)(owner.of(state))),
  ]
}

/** The state without it, if there is one. */
export const without = (
  owner: Owner,
  state: State,
  id: string,
  asking: Asking,
): E.Either<Refusal, State> =>
  pipe(
    findHook(owner, state, id, asking),
    E.map(({ n }) => owner.with(state, remove(n)(owner.of(state)))),
  )
