/**
 * Logins, and credentials of calls. A token encodes its number, its expiry and its owner, and the seed seals it, so tokens are
 * not stored.
 */
import type { login as loginRow } from '../../api/authentication.js'
import type { AnyEndpoint } from '../../api/Endpoint.js'
import { E } from '../../fp.js'
import { basicHeader } from '../../http/login/Auth.js'
import { hash, hex8, subSeed } from '../data/hash.js'
import { endAt, timeText } from '../data/time.js'
import type { Settings } from '../options.js'
import { type ApiError, apiError, success } from '../Reply.js'
import type { SandboxStore } from '../Store.js'
import type { CallContext, Handler } from './Handler.js'

// errors

export const credentialsInvalid = apiError(
  401,
  'credentials_invalid',
  'The credentials are missing or unknown.',
)

const credentialsExpired = apiError(401, 'credentials_expired', 'The access token has expired.')

const unauthorized = apiError(
  401,
  'unauthorized',
  'The credentials are missing, unknown or expired.',
)

// login

export const authentication: { readonly login: Handler<typeof loginRow> } = {
  login: (store, { client_id, api_key }, { now, settings }) => {
    const owner = settings.credentials.findIndex(
      ({ clientId, apiKey }) => clientId === client_id && apiKey === api_key,
    )
    if (owner === -1) return credentialsInvalid
    const expires = endAt(now, settings.tokenLife)
    const claims = { number: store.tokensIssued++, expires, owner }
    return success({ token: tokenOf(settings.seed, claims), expires_at: timeText(expires) })
  },
}

interface Claims {
  /** Number of the token, starting at 0. */
  readonly number: number
  /** Time of expiry, in ms since 1970. */
  readonly expires: number
  /** The index of its credentials. */
  readonly owner: number
}

const tokenOf = (seed: number, claims: Claims): string =>
  `sandbox.${claims.number}.${claims.expires}.${claims.owner}.${sealOf(seed, claims)}`

const sealOf = (seed: number, { number, expires, owner }: Claims): string =>
  hex8(
    hash(
      hash(hash(owner) ^ hash(number ^ subSeed(seed, 6))) ^
        Math.floor(expires / 2 ** 16) ^
        Math.imul(expires, 31),
    ),
  )

// calls

type Scopes = CallContext['scopes']

/** Returns the scopes of the credentials in the headers of a call. */
export const authorize = (
  { auth, errors }: AnyEndpoint,
  headers: Headers,
  store: SandboxStore,
  now: number,
  settings: Settings,
): E.Either<ApiError, Scopes> => {
  // the scheme may be in any letter case
  const header = (headers.get('authorization') ?? '').replace(
    /^(bearer|basic) /i,
    (scheme) => `${scheme.charAt(0).toUpperCase()}${scheme.slice(1).toLowerCase()}`,
  )
  switch (auth) {
    case 'none':
      return E.right(undefined)
    case 'bearer': {
      const scopes = bearerScopes(header, store, now, settings)
      return E.isLeft(scopes) && errors[401]?.includes('unauthorized') === true
        ? E.left(unauthorized)
        : scopes
    }
    case 'basic': {
      const { clientId, clientSecret, scopes } = settings.partner
      return header === basicHeader(clientId, clientSecret)
        ? E.right(scopes)
        : E.left(credentialsInvalid)
    }
  }
}

/** Number, expiry, owner, seal. */
const BEARER = /^Bearer sandbox\.(\d{1,15})\.(\d{1,15})\.(\d{1,6})\.([0-9a-f]{8})$/

const bearerScopes = (
  header: string,
  store: SandboxStore,
  now: number,
  { seed, credentials }: Settings,
): E.Either<ApiError, Scopes> => {
  const [, number = '', expires = '', owner = '', seal = ''] = BEARER.exec(header) ?? []
  const claims = { number: Number(number), expires: Number(expires), owner: Number(owner) }
  const isIssued =
    seal === sealOf(seed, claims) &&
    claims.number < store.tokensIssued &&
    claims.number >= store.tokensRevokedBelow
  if (!isIssued) return E.left(credentialsInvalid)
  if (claims.expires <= now) return E.left(credentialsExpired)
  return E.right(credentials[claims.owner]?.scopes)
}
