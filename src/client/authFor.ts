/** Who asks, for each row: Bearer and Basic are never mixed, and a client shares neither with another. */
import { login } from '../api/authentication.js'
import { type AnyEndpoint, untyped } from '../api/Endpoint.js'
import type { CallSettings } from '../http/CallSettings.js'
import type { ClientRuntime } from '../http/ClientRuntime.js'
import { execute } from '../http/execute.js'
import { type Auth, basic, bearer, missingAuth, noAuth, RENEW_EARLY } from '../http/login/Auth.js'
import { logIn } from '../http/login/login.js'
import { tokenFromSource } from '../http/login/tokenSource.js'
import type { ClientOptions } from './ClientOptions.js'

export const authFor = (
  { credentials, partner, renewEarly = RENEW_EARLY }: ClientOptions,
  engine: ClientRuntime,
  settings: CallSettings,
): ((row: AnyEndpoint) => Auth) => {
  const now = () => engine.timer.now()

  const tokens = (given: NonNullable<typeof credentials>) => {
    if ('token' in given) {
      return tokenFromSource(given.token, { limit: settings.timeout.headers, timer: engine.timer })
    }
    const slot = { endpoint: login.route, login: given.clientId }
    const asking = execute(engine, { ...settings, priority: 'interactive' })
    return logIn(
      asking(untyped(login), () => slot),
      given,
      now,
    )
  }

  const account =
    credentials &&
    bearer({
      login: tokens(credentials),
      early: renewEarly,
      timer: engine.timer,
      onRenewed: ({ token, validFor }) => {
        engine.secrets.add(token)
        engine.emit({ _tag: 'LoggedIn', validFor })
      },
    })
  const application = partner && basic(partner.clientId, partner.clientSecret)

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

/** What must not show, whatever the request. */
export const configuredSecrets = ({
  credentials,
  partner,
}: ClientOptions): ReadonlyArray<string> => [
  ...(credentials === undefined || 'token' in credentials ? [] : [credentials.apiKey]),
  ...(partner === undefined ? [] : [partner.clientSecret]),
]
