import { partnerWebhooks as rows } from '../../api/partnerWebhooks.js'
import { Webhook } from '../../codec/Webhook.js'
import { E, flow, pipe } from '../../fp.js'
import { required } from '../ApiError.js'
import { encoded } from '../account/ascii.js'
import { texts } from '../account/Rows.js'
import { all } from '../Collection.js'
import { pageByNumber } from '../envelope.js'
import type { HandlersOf } from '../Handler.js'
import { json, text } from '../Result.js'
import { create, findHook, retrieve, update, without } from '../webhooks/calls.js'
import { partner } from '../webhooks/Owner.js'
import { webhookOf } from '../webhooks/StoredWebhook.js'

/** Events of organizations (interface, Partner webhooks). */
const isOfOrganization = (event: string): boolean => /^(billing|spend)\./.test(event)

export const partnerWebhooks: HandlersOf<{ partner: typeof rows }>['partner'] = {
  create: create(partner),

  retrieve: retrieve(partner),

  list: (state, { page_num = 0, page_size = rows.list.paging.size }, { settings }) => {
    const oldestFirst = all(state.partnerWebhooks)
    const hooks = settings.order === 'descending' ? oldestFirst.toReversed() : oldestFirst
    const end = (page_num + 1) * page_size
    const write = flow(webhookOf('partner webhook', settings.seed), Webhook.encode, JSON.stringify)
    const found = hooks.slice(page_num * page_size, end).map(write)
    return [pageByNumber(texts(found), end < hooks.length), state]
  },

  update: update(partner),

  // three answers that clients have seen where the interface shows none

  connect: (state, { id, org_id }, context) => {
    const hook = findHook(partner)(state, id, context)
    if (E.isLeft(hook)) return [hook.left, state]
    return hook.right.asked.events.some(isOfOrganization) && org_id === undefined
      ? [required('org_id'), state]
      : [text('OK'), state]
  },

  disconnect: (state, { id }, context) => {
    const result = pipe(
      findHook(partner)(state, id, context),
      E.map(() => json(encoded('"OK"'))),
      E.toUnion,
    )
    return [result, state]
  },

  delete: (state, { id }, context) => {
    const rest = without(partner)(state, id, context)
    return E.isLeft(rest) ? [rest.left, state] : [text(''), rest.right]
  },
}
