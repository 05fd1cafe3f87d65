import { asyncScheduler, Subject } from 'rxjs'
import { login } from './api/authentication.js'
import { untyped } from './api/Endpoint.js'
import { type ClientOptions, checkCredentials, limitsOf } from './ClientOptions.js'
import { ask } from './http/ask.js'
import { type Auth, bearer, EARLY, nobody } from './http/auth.js'
import type { ClientEvent } from './http/ClientEvent.js'
import { kyTransport } from './http/ky.js'
import { logIn } from './http/login.js'
import type { Session, Settings } from './http/Session.js'
import { tiers } from './http/tiers.js'
import { createScheduler } from './scheduler/index.js'
import { exponential, PAUSES } from './stream/index.js'

/** Attempts after the first, when a connection or the service fails (default, not specified). */
const REPEATS = 2

/** What a client and all that `with` makes of it have in common: one token, one queue, one line out. */
export const openSession = (
  options: ClientOptions,
  settings: Settings,
): { readonly session: Session; readonly events: Subject<ClientEvent> } => {
  const { credentials, retry, timer = asyncScheduler, random = Math.random } = options
  checkCredentials(credentials)
  const events = new Subject<ClientEvent>()

  const scheduler =
    options.scheduler ??
    createScheduler({
      tiers: tiers(limitsOf(options)),
      ...(options.guard === undefined ? {} : { guard: options.guard }),
      ...(options.share === undefined ? {} : { share: options.share }),
      ...(retry?.throttled === undefined ? {} : { refusals: { attempts: retry.throttled + 1 } }),
      random,
      timer,
    })

  const transport =
    options.transport ??
    kyTransport({
      scheduler: timer,
      ...(options.fetch === undefined ? {} : { fetch: options.fetch }),
    })

  const session: Session = {
    transport,
    scheduler,
    timer,
    auth: ({ auth }) => (auth === 'bearer' ? account : nobody),
    backoff: exponential({ ...PAUSES, repeats: retry?.faults ?? REPEATS, random }),
    secrets: [credentials.apiKey],
    emit: (event) => events.next(event),
    uuid: options.uuid ?? (() => crypto.randomUUID()),
  }

  const slot = { endpoint: login.route, login: credentials.clientId }
  const asLogin = ask(session, { ...settings, priority: 'interactive' }, untyped(login), slot)
  const account: Auth = bearer({
    login: logIn(asLogin, credentials, () => timer.now()),
    early: options.renewEarly ?? EARLY,
    now: () => timer.now(),
    renewed: ({ validFor }) => events.next({ _tag: 'LoggedIn', ms: validFor }),
  })

  return { session, events }
}
