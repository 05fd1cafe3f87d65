import { map, merge, type Observable, Subject } from 'rxjs'
import { login } from '../api/authentication.js'
import { type AnyEndpoint, untyped } from '../api/Endpoint.js'
import { withoutPrototype, withoutUndefined } from '../fp.js'
import { AttemptContext } from '../http/AttemptContext.js'
import { codes } from '../http/answer/errors.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import type { CallSettings, ClientRuntime } from '../http/ClientRuntime.js'
import { execute } from '../http/execute.js'
import { explainLowered, fairness, resources, tiers } from '../http/limits.js'
import {
  type Auth,
  BearerAuth,
  basicAuth,
  basicHeader,
  missingAuth,
  noAuth,
} from '../http/login/Auth.js'
import { logIn, tokenFromSource } from '../http/login/tokens.js'
import { RETRY_SHARE, RetryBudget } from '../http/retry/RetryBudget.js'
import { explainSkew, ServiceClock } from '../http/ServiceClock.js'
import { KnownSecrets } from '../http/secrets.js'
import { kyTransport } from '../http/transport/kyTransport.js'
import { createScheduler, type LimitChanged, type QuotaChanged } from '../scheduler/index.js'
import { pausesOf } from '../stream/Backoff.js'
import { backoffDefaults, exponential } from '../stream/index.js'
import { steadyTimer } from '../stream/steadyTimer.js'
import { limitsOf, type ResolvedOptions } from './ClientOptions.js'

/** Creates the parts that a client shares with those that its `with` returns: token, scheduler, transport, budget, events. */
export const createRuntime = (
  options: ResolvedOptions,
  settings: CallSettings,
): { readonly runtime: ClientRuntime; readonly events: Observable<ClientEvent> } => {
  const { retry, random, uuid } = options
  const { faults: repeats, patience } = settings.retry
  const timer = steadyTimer(options.timer)
  const events = new Subject<ClientEvent>()
  let calls = 0

  const runtime: ClientRuntime = {
    transport:
      options.transport ??
      kyTransport({
        timer,
        maxBytes: options.maxBytes,
        ...withoutUndefined({ fetch: options.fetch, hooks: options.hooks }),
      }),
    scheduler:
      options.scheduler ??
      createScheduler({
        tiers: tiers(limitsOf(options)),
        resources,
        fair: fairness(options.fair),
        ...withoutUndefined({ guard: options.guard, share: options.share, quota: options.quota }),
        random,
        timer,
      }),
    timer,
    now: () => options.timer.now(),
    random,
    uuid,
    authFor: (row) => authFor(row),
    backoff: exponential({ ...backoffDefaults, repeats: Number.POSITIVE_INFINITY, random }),
    retryBudget: new RetryBudget({
      share: retry?.budget ?? RETRY_SHARE,
      burst: limitsOf(options).concurrency,
      maxWait: Math.min(patience, pausesOf({ ...backoffDefaults, repeats })),
      now: () => timer.now(),
    }),
    serviceClock: new ServiceClock({
      timer,
      now: () => options.timer.now(),
      onSkew: (skew) => events.next({ _tag: 'ClockSkewed', skew, message: explainSkew(skew) }),
    }),
    codes: { ...codes, ...options.codes },
    secrets: new KnownSecrets(configuredSecrets(options)),
    emit: (event) => events.next(event),
    attempts: new AttemptContext(),
    nextCall: () => ++calls,
  }
  const authFor = createAuth(options, runtime, settings)

  const limitChanges = runtime.scheduler.events.pipe(
    map((change): LimitChanged | QuotaChanged =>
      change._tag === 'LimitChanged' && change.allowed < change.limit
        ? { ...change, message: explainLowered(change.tier, change) }
        : change,
    ),
  )
  return { runtime, events: merge(events, limitChanges) }
}

/** Creates a client's authorizations. Bearer and Basic are never mixed, and neither is shared with another client. */
const createAuth = (
  { credentials, partner, renewEarly }: ResolvedOptions,
  runtime: ClientRuntime,
  settings: CallSettings,
): ((row: AnyEndpoint) => Auth) => {
  const { timer, now, secrets, emit } = runtime

  const logInWith = (given: NonNullable<typeof credentials>) => {
    if ('token' in given) {
      return tokenFromSource(given.token, { limit: settings.timeout.headers, timer, now })
    }
    const executeOf = execute(runtime, withoutPrototype({ ...settings, priority: 'interactive' }))
    return logIn(executeOf(untyped(login)), given, { now, baseUrl: settings.baseUrl })
  }

  const account =
    credentials &&
    new BearerAuth({
      login: logInWith(credentials),
      renewEarly,
      timer,
      onRenewed: ({ token, validFor }) => {
        secrets.addToken(token)
        emit({ _tag: 'LoggedIn', validFor })
      },
    })
  const application = partner && basicAuth(partner.clientId, partner.clientSecret)

  return ({ auth, route }) => {
    switch (auth) {
      case 'bearer':
        return account ?? missingAuth(route, 'credentials')
      case 'basic':
        return application ?? missingAuth(route, 'partner')
      case 'none':
        return noAuth
    }
  }
}

const configuredSecrets = ({ credentials, partner }: ResolvedOptions): ReadonlyArray<string> => [
  ...(credentials === undefined || 'token' in credentials ? [] : [credentials.apiKey]),
  ...(partner === undefined
    ? []
    : [partner.clientSecret, basicHeader(partner.clientId, partner.clientSecret).slice(6)]),
]
