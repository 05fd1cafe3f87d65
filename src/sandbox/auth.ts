/**
 * Who may call: with the credentials of the partner, or with a bearer token. Tokens carry their number, their end
 * and whose they are, so none is remembered.
 */
import type { AnyEndpoint } from '../api/Endpoint.js'
import { E, pipe } from '../fp.js'
import { basicHeader } from '../http/login/Auth.js'
import { type ApiError, apiError } from './ApiError.js'
import { hash, hexText, subSeed } from './account/hash.js'
import type { Context } from './Context.js'
import type { Store } from './Store.js'

// model

export const credentialsInvalid = apiError(
  401,
  'credentials_invalid',
  'The credentials are missing or not known.',
)

const credentialsExpired = apiError(401, 'credentials_expired', 'The access token has expired.')

export const unauthorized = apiError(
  401,
  'unauthorized',
  'The credentials are missing, not known or have expired.',
)

// constructors

/** What a token says of itself. */
interface Claims {
  /** Counted from 0. */
  readonly number: number
  /** In ms since 1970. */
  readonly expires: number
  /** Which of the credentials it was given to. */
  readonly owner: number
}

const seal = (seed: number, { number, expires, owner }: Claims): string =>
  hexText(
    hash(
      hash(hash(owner) ^ hash(number ^ subSeed(seed, 6))) ^
        Math.floor(expires / 2 ** 16) ^
        Math.imul(expires, 31),
    ),
  )

export const tokenOf = (seed: number, claims: Claims): string =>
  `sandbox.${claims.number}.${claims.expires}.${claims.owner}.${seal(seed, claims)}`

// combinators

/** Of the events that a caller may subscribe to; undefined for all. */
type Scopes = ReadonlyArray<string> | undefined

/** Number, end, owner, seal. */
const BEARER = /^Bearer sandbox\.(\d{1,15})\.(\d{1,15})\.(\d{1,6})\.([0-9a-f]{8})$/

const bearer = (
  header: string,
  state: Store,
  { now, settings }: Context,
): E.Either<ApiError, Scopes> => {
  const [, number = '', expires = '', owner = '', sealed = ''] = BEARER.exec(header) ?? []
  const claims = { number: Number(number), expires: Number(expires), owner: Number(owner) }
  return sealed === '' ||
    sealed !== seal(settings.seed, claims) ||
    claims.number >= state.issued ||
    claims.number < state.revokedBelow
    ? E.left(credentialsInvalid)
    : claims.expires <= now
      ? E.left(credentialsExpired)
      : E.right(settings.credentials[claims.owner]?.scopes)
}

const basic = (header: string, { settings: { partner } }: Context): E.Either<ApiError, Scopes> =>
  header === basicHeader(partner.clientId, partner.clientSecret)
    ? E.right(partner.scopes)
    : E.left(credentialsInvalid)

/** With the scheme as it is written here: it may come in any letter case. */
const authorization = (headers: Headers): string =>
  (headers.get('authorization') ?? '').replace(/^bearer /i, 'Bearer ').replace(/^basic /i, 'Basic ')

/** Whether a call may be made with these headers, and what for. */
export const authorise = (
  { auth, errors }: AnyEndpoint,
  headers: Headers,
  state: Store,
  context: Context,
): E.Either<ApiError, Scopes> => {
  const header = authorization(headers)
  switch (auth) {
    case 'none':
      return E.right(undefined)
    case 'bearer':
      return pipe(
        bearer(header, state, context),
        E.mapLeft((apiError) =>
          errors[401]?.includes('unauthorized') === true ? unauthorized : apiError,
        ),
      )
    case 'basic':
      return basic(header, context)
  }
}
