/** What may be shown of rows that are put aside. */
import { ROW_LEVELS } from '../../decode/levels.js'
import { shallow } from '../../export/column/beyondJson.js'
import { scrubAll, scrubber } from '../../http/secrets/scrub.js'
import type { Transport } from '../../http/transport/Transport.js'
import type { Connection } from '../connection.js'
import { stripped } from './withoutSecret.js'

/**
 * They are kept as they came, but for what no file is to hold: what is called `secret`,
 * the keys of the connection, and all that was `sent` for authorization.
 */
export const shownOf = (
  { credentials, partner }: Connection,
  sent: ReadonlySet<string>,
): ((raw: unknown) => unknown) => {
  const keys = [credentials?.apiKey, partner?.clientSecret].filter((key) => key !== undefined)
  // what `stripped` did not look at is cut off before anything else
  return (raw) => scrubAll(scrubber([...keys, ...sent]), ROW_LEVELS)(shallow(stripped(raw)))
}

/** The same transport, and the tokens that it sent so far. */
export const rememberingTokens = (
  transport: Transport,
): { readonly transport: Transport; readonly sent: ReadonlySet<string> } => {
  const sent = new Set<string>()
  return {
    sent,
    transport: (request) => {
      const { authorization } = request.headers
      if (authorization !== undefined) sent.add(authorization.slice(authorization.indexOf(' ') + 1))
      return transport(request)
    },
  }
}
