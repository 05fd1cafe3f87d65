/** Who asks, for each row: Bearer and Basic are never mixed, and a client shares neither with another. */
import { login } from '../api/authentication.js'
import { type AnyEndpoint, untyped } from '../api/Endpoint.js'
import { ask } from '../http/ask.js'
import type { Engine } from '../http/Engine.js'
import { type Auth, absent, basic, bearer, EARLY, nobody } from '../http/login/auth.js'
import { foreignToken } from '../http/login/foreignToken.js'
import { logIn } from '../http/login/login.js'
import type { Settings } from '../http/Settings.js'
import type { ClientOptions } from './ClientOptions.js'

export const openAuth = (
  { credentials, partner, renewEarly = EARLY }: ClientOptions,
  engine: Engine,
  settings: Settings,
): ((row: AnyEndpoint) => Auth) => {
  const now = () => engine.timer.now()

  const tokens = (given: NonNullable<typeof credentials>) => {
    if ('token' in given) {
      return foreignToken(given.token, { limit: settings.timeout.headers, timer: engine.timer })
    }
    const slot = { endpoint: login.route, login: given.clientId }
    const asking = ask(engine, { ...settings, priority: 'interactive' })
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
        return account ?? absent(route, 'credentials')
      case 'basic':
        return application ?? absent(route, 'partner')
      case 'none':
        return nobody
    }
  }
}

/** What must not show, whatever the request. */
export const secretsOf = ({ credentials, partner }: ClientOptions): ReadonlyArray<string> => [
  ...(credentials === undefined || 'token' in credentials ? [] : [credentials.apiKey]),
  ...(partner === undefined ? [] : [partner.clientSecret]),
]
