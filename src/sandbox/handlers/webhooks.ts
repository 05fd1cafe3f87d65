import { webhooks as rows } from '../../api/webhooks.js'
import { Webhook } from '../../codec/Webhook.js'
import { E, flow, pipe } from '../../fp.js'
import { type HandlersOf, pageOf, success } from '../Answer.js'
import { bookmarked } from '../bookmarks.js'
import { all } from '../Register.js'
import { webhookOf } from '../webhooks/Hook.js'
import { account, create, retrieve, update, without } from '../webhooks/subscribe.js'

export const webhooks: HandlersOf<{ webhooks: typeof rows }>['webhooks'] = {
  create: (state, params, asking) => create(account, state, params, asking),

  retrieve: (state, { id }, asking) => retrieve(account, state, id, asking),

  list: (state, { page, page_size = rows.list.paging.size ?? 20 }, { settings }) => {
    const { seed, order } = settings
    const answer = pipe(
      all(state.webhooks),
      bookmarked({
        list: 'webhooks',
        seed,
        newestFirst: order === 'descending',
        size: page_size,
        page,
      }),
      E.matchW(
        (refusal) => refusal,
        (found) => pageOf(found, flow(webhookOf('webhook', seed), Webhook.encode)),
      ),
    )
    return [answer, state]
  },

  update: (state, params, asking) => update(account, state, params, asking),

  delete: (state, { id }, asking) => {
    const left = without(account, state, id, asking)
    return E.isLeft(left) ? [left.left, state] : [success({ id, deleted: true }), left.right]
  },
}
