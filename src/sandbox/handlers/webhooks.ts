import { webhooks as rows } from '../../api/webhooks.js'
import { Webhook } from '../../codec/Webhook.js'
import { E, flow, pipe } from '../../fp.js'
import { bookmarked } from '../bookmarks.js'
import { walk } from '../Collection.js'
import { pageByBookmark } from '../envelope.js'
import type { HandlersOf } from '../Handler.js'
import { success } from '../Result.js'
import { create, retrieve, update, without } from '../webhooks/calls.js'
import { account } from '../webhooks/Owner.js'
import { webhookOf } from '../webhooks/StoredWebhook.js'

export const webhooks: HandlersOf<{ webhooks: typeof rows }>['webhooks'] = {
  create: create(account),

  retrieve: retrieve(account),

  list: (state, { page, page_size = rows.list.paging.size }, { settings }) => {
    const { seed, order } = settings
    const result = pipe(
      walk(state.webhooks),
      bookmarked({
        list: 'webhooks',
        seed,
        newestFirst: order === 'descending',
        size: page_size,
        page,
      }),
      E.map(pageByBookmark(flow(webhookOf('webhook', seed), Webhook.encode))),
      E.toUnion,
    )
    return [result, state]
  },

  update: update(account),

  delete: (state, { id }, context) => {
    const rest = without(account)(state, id, context)
    return E.isLeft(rest) ? [rest.left, state] : [success({ id, deleted: true }), rest.right]
  },
}
