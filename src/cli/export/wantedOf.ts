/** What an export is of, as its checkpoint and its manifest say it. */
import { accountOf, type Wanted } from '../../export/index.js'
import { defined } from '../../fp.js'
import type { Connection } from '../connection.js'
import type { ExportFlags } from './ExportFlags.js'

// model

/** A connection, and by what it is known: a sandbox is on another port each time. */
export interface Connected extends Connection {
  readonly knownAs: string
}

// constructors

/** What a run is of, but for what it is narrowed by. */
export const wantedOf =
  (
    resource: string,
    { knownAs, apiVersion, credentials, partner, onBehalfOf }: Connected,
    { exact, safeCells, amounts }: ExportFlags,
  ) =>
  (filter: object): Wanted => ({
    resource,
    account: accountOf({
      baseUrl: knownAs,
      clientId: credentials?.clientId ?? partner?.clientId ?? '',
      ...defined({ loginAs: credentials?.loginAs, onBehalfOf }),
    }),
    query: Object.fromEntries(
      Object.entries(filter)
        .filter(([field]) => field !== 'page_size') // it changes nothing of what comes
        .map(([field, value]) => [field, String(value)]),
    ),
    format: {
      ...(exact ? { numbers: 'exact' } : {}),
      ...(safeCells ? { formulas: 'escape' } : {}),
      ...defined({ amounts, apiVersion }),
    },
  })
