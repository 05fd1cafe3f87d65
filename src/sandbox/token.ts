/** Bearer tokens: they carry their number and their end, so the sandbox remembers none of them. */
import type { AnyEndpoint } from '../api/Endpoint.js'
import { E } from '../fp.js'
import { type Context, type Refusal, refusal } from './Answer.js'
import { hexText, keyOf, mix } from './account/mix.js'
import type { State } from './State.js'

// model

export const credentialsInvalid = refusal(
  401,
  'credentials_invalid',
  'The credentials are missing or not known.',
)

const credentialsExpired = refusal(401, 'credentials_expired', 'The access token has expired.')

// constructors

const seal = (seed: number, number: number, expires: number): string =>
  hexText(
    mix(mix(number ^ keyOf(seed, 6)) ^ Math.floor(expires / 2 ** 16) ^ Math.imul(expires, 31)),
  )

/** The token with this number; `expires` in ms since 1970. */
export const tokenOf = (seed: number, number: number, expires: number): string =>
  `sandbox.${number}.${expires}.${seal(seed, number, expires)}`

// combinators

const BEARER = /^Bearer sandbox\.(\d{1,15})\.(\d{1,15})\.([0-9a-f]{8})$/i

const bearer = (
  header: string,
  state: State,
  { now, settings }: Context,
): E.Either<Refusal, void> => {
  const [, number = '', expires = '', sealed = ''] = BEARER.exec(header) ?? []
  return sealed === '' ||
    sealed !== seal(settings.seed, Number(number), Number(expires)) ||
    Number(number) >= state.issued ||
    Number(number) < state.revokedBelow
    ? E.left(credentialsInvalid)
    : Number(expires) <= now
      ? E.left(credentialsExpired)
      : E.right(undefined)
}

/** Whether a call may be made with this `Authorization` header. */
export const authorise = (
  auth: AnyEndpoint['auth'],
  header: string,
  state: State,
  context: Context,
): E.Either<Refusal, void> => {
  switch (auth) {
    case 'none':
      return E.right(undefined)
    case 'bearer':
      return bearer(header, state, context)
    case 'basic': {
      const { clientId, clientSecret } = context.settings.partner
      return header === `Basic ${btoa(`${clientId}:${clientSecret}`)}`
        ? E.right(undefined)
        : E.left(credentialsInvalid)
    }
  }
}
