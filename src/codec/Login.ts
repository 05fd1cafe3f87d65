/**
 * Logging in. The interface names the call, the life of a token and `expires_at`; the headers of the
 * request and the field `token` are defaults, not specified by the interface document.
 */
import * as t from 'io-ts'
import { type Codec, matching, unspecified } from './Codec.js'

const loginParams = t.intersection([
  t.type({ client_id: t.string, api_key: t.string }),
  /** An account id, for keys that cover several accounts. */
  t.partial({ login_as: t.string }),
])

export interface LoginParams extends t.TypeOf<typeof loginParams> {}

export const LoginParams: Codec<LoginParams> = loginParams

const token: Codec<string> = matching(/^[!-~]+$/, 'a token')

const session = t.intersection([
  unspecified(t.type({ token })),
  /** Read leniently: a token without a readable time is taken to live 25 minutes. */
  t.partial({ expires_at: t.unknown }),
])

export interface Session extends t.TypeOf<typeof session> {}

export const Session: Codec<Session> = session
