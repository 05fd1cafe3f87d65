import type { login as loginRow } from '../../api/authentication.js'
import { timeText } from '../account/time.js'
import { credentialsInvalid, tokenOf } from '../auth.js'
import type { Handler } from '../Handler.js'
import { endAt } from '../instant.js'
import { success } from '../Result.js'

export const authentication: { readonly login: Handler<typeof loginRow> } = {
  login: (state, { client_id, api_key }, { now, settings }) => {
    const owner = settings.credentials.findIndex(
      ({ clientId, apiKey }) => clientId === client_id && apiKey === api_key,
    )
    if (owner === -1) return [credentialsInvalid, state]
    const expires = endAt(now, settings.tokenLife)
    return [
      success({
        token: tokenOf(settings.seed, { number: state.issued, expires, owner }),
        expires_at: timeText(Math.floor(expires / 1_000)),
      }),
      { ...state, issued: state.issued + 1 },
    ]
  },
}
