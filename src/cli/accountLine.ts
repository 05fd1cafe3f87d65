/** Shows the environment and account that a command will use. */
import { baseUrlOf } from '../client/ClientOptions.js'
import { oneLine } from '../decode/redact.js'
import type { Connection } from './connection.js'
import type { ViewFlags } from './progress/ProgressView.js'

/** Number of final characters of a client id that are shown; at most half of a short id. */
const SHOWN = 4

/** Returns a line such as `https://api.example.com, production, client id ...x7f2, account acct_9`. */
export const accountLine = (connection: Connection): string => {
  const { environment, credentials, partner, onBehalfOf } = connection
  const { clientId = partner?.clientId ?? '', loginAs } = credentials ?? {}
  const account = onBehalfOf ?? loginAs
  return oneLine(
    [
      baseUrlOf(connection),
      environment,
      `client id ...${clientId.slice(clientId.length - Math.min(SHOWN, Math.floor(clientId.length / 2)))}`,
      account === undefined ? "the platform's own account" : `account ${account}`,
    ].join(', '),
  )
}

/** Returns the first lines of a run. There are none with `--progress none`, which prints only the summary. */
export const firstLines = (
  { progress }: Pick<ViewFlags, 'progress'>,
  ...connections: ReadonlyArray<Connection>
): ReadonlyArray<string> => (progress === 'none' ? [] : [...new Set(connections.map(accountLine))])
