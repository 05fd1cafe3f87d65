/** Which events a webhook may subscribe to: those there are, in its version, as the scopes allow. */
import { eventNames } from '../../codec/EventName.js'
import type { NewWebhook } from '../../codec/Webhook.js'
import { A, O, pipe } from '../../fp.js'
import { type ApiError, invalid } from '../ApiError.js'
import { DORMANT_AND_CLOSED } from '../version.js'

const known: ReadonlySet<string> = new Set(eventNames)

/** Webhooks before version 2024-09-27 leave out `payout.`. */
const exists = (event: string): boolean => known.has(event) || known.has(`payout.${event}`)

const later: ReadonlySet<string> = new Set(['account.dormant', 'account.closed'])

/** A scope is an event, or the beginning of several: `spend` or `spend.bill`. */
const isAllowed = (event: string, scopes: ReadonlyArray<string> | undefined): boolean =>
  scopes === undefined || scopes.some((scope) => event === scope || event.startsWith(`${scope}.`))

const problem = (
  event: string,
  version: string,
  scopes: ReadonlyArray<string> | undefined,
): string | undefined => {
  if (!exists(event)) return 'is no event.'
  if (later.has(event) && version < DORMANT_AND_CLOSED) {
    return `is an event from version ${DORMANT_AND_CLOSED} on.`
  }
  return isAllowed(event, scopes) ? undefined : 'is not allowed by the scopes of the credentials.'
}

/** Why a webhook may not be made. */
export const problemOf = (
  { events, version }: NewWebhook,
  scopes: ReadonlyArray<string> | undefined,
): O.Option<ApiError> =>
  pipe(
    [...events],
    A.findFirstMap((event) =>
      pipe(
        O.fromNullable(problem(event, version, scopes)),
        O.map((why) => invalid(`${event} ${why}`, 'events')),
      ),
    ),
  )
