import { asyncScheduler, type Observable, Subject } from 'rxjs'
import { defined } from '../fp.js'
import type { CallSettings } from '../http/CallSettings.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import type { ClientRuntime } from '../http/ClientRuntime.js'
import { codes } from '../http/codes.js'
import { tiers } from '../http/limits.js'
import { retryBudget, SHARE } from '../http/retry/RetryBudget.js'
import { knownSecrets } from '../http/secrets/KnownSecrets.js'
import { kyTransport } from '../http/transport/kyTransport.js'
import { createScheduler } from '../scheduler/index.js'
import { pausesOf } from '../stream/Backoff.js'
import { exponential, PAUSES } from '../stream/index.js'
import { authFor, configuredSecrets } from './authFor.js'
import { type ClientOptions, limitsOf } from './ClientOptions.js'

/** Attempts after the first, when a connection or the service fails (default, not specified). */
const REPEATS = 2

/** What a client and all that `with` makes of it have in common: one token, one queue, one line out. */
export const createRuntime = (
  options: ClientOptions,
  settings: CallSettings,
): { readonly engine: ClientRuntime; readonly events: Observable<ClientEvent> } => {
  const { retry, timer = asyncScheduler, random = Math.random } = options
  const repeats = retry?.faults ?? REPEATS
  const events = new Subject<ClientEvent>()

  const scheduler =
    options.scheduler ??
    createScheduler({
      tiers: tiers(limitsOf(options)),
      ...defined({ guard: options.guard, share: options.share }),
      ...(retry?.throttled === undefined ? {} : { refusals: { attempts: retry.throttled + 1 } }),
      random,
      timer,
    })

  const transport =
    options.transport ??
    kyTransport({
      timer,
      ...defined({ fetch: options.fetch, maxBytes: options.maxBytes }),
    })

  const engine: ClientRuntime = {
    transport,
    scheduler,
    timer,
    random,
    auth: (row) => auth(row),
    backoff: exponential({ ...PAUSES, repeats, random }),
    budget: retryBudget({
      share: retry?.budget ?? SHARE,
      burst: limitsOf(options).concurrency,
      patience: pausesOf({ ...PAUSES, repeats }),
      now: () => timer.now(),
    }),
    codes: { ...codes, ...options.codes },
    secrets: knownSecrets(configuredSecrets(options)),
    emit: (event) => events.next(event),
    uuid: options.uuid ?? (() => crypto.randomUUID()),
  }
  const auth = authFor(options, engine, settings)

  return { engine, events: events.asObservable() }
}
