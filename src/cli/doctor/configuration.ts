/** What a command would be run with: which settings are there, and never their values. */
import { baseUrlOf } from '../../client/ClientOptions.js'
import { createClient } from '../../client.js'
import { InvalidOption } from '../../options/index.js'
import { type Connection, type ConnectionFlags, connection, named } from '../connection.js'
import { type Terminal, WrongUse } from '../Terminal.js'
import { type Finding, failed, ok, warning } from './Finding.js'

// model

export interface Configured {
  readonly findings: ReadonlyArray<Finding>
  /** Left out when nothing can be reached with it. */
  readonly connection?: Connection
}

const VARIABLES: Readonly<Partial<Record<keyof ConnectionFlags, string>>> = {
  baseUrl: 'PAYMENTS_BASE_URL',
  clientId: 'PAYMENTS_CLIENT_ID',
  apiKey: 'PAYMENTS_API_KEY',
  environment: 'PAYMENTS_ENVIRONMENT',
  loginAs: 'PAYMENTS_LOGIN_AS',
  onBehalfOf: 'PAYMENTS_ON_BEHALF_OF',
}

// constructors

export const configured = (flags: ConnectionFlags, env: Terminal['env']): Configured => {
  try {
    const found = connection(flags, env)
    const place = baseUrl(found.baseUrl)
    return place.verdict === 'failed'
      ? { findings: [settings(flags, env, found), place] }
      : { findings: [settings(flags, env, found, refusal(found)), place], connection: found }
  } catch (error) {
    if (!(error instanceof WrongUse)) throw error
    const set = names(flags, env)
    const found = `${error.message}; ${set.length === 0 ? 'nothing is set' : `set: ${set.join(', ')}`}`
    return { findings: [failed('configuration', found, { facts: { set } })] }
  }
}

/** Why no client can be made with them. */
const refusal = (found: Connection): InvalidOption | undefined => {
  try {
    createClient(found)
    return undefined
  } catch (error) {
    if (!(error instanceof InvalidOption)) throw error
    return error
  }
}

const settings = (
  flags: ConnectionFlags,
  env: Terminal['env'],
  { credentials, environment, onBehalfOf }: Connection,
  refused?: InvalidOption,
): Finding => {
  const set = names(flags, env)
  const facts = { set, environment: environment ?? 'production' }
  const found = `${set.join(', ')}; limits of ${facts.environment}`
  const padded = [...Object.values(credentials ?? {}), onBehalfOf].some(
    (text) => typeof text === 'string' && text !== text.trim(),
  )
  const more = padded
    ? { advice: 'a key or an id begins or ends with a space or a line break: take it out', facts }
    : { facts }
  if (refused !== undefined) {
    return failed('configuration', `${named(refused)}; set: ${set.join(', ')}`, more)
  }
  if (padded) return warning('configuration', found, more)
  if (flags.apiKey !== undefined) {
    const advice = `other users of this machine can see --api-key: set ${VARIABLES.apiKey} in its place`
    return warning('configuration', found, { advice, facts })
  }
  if (isSet(env.HTTPS_PROXY ?? env.https_proxy) && env.NODE_USE_ENV_PROXY !== '1') {
    const advice =
      'HTTPS_PROXY is set, and Node uses it only where NODE_USE_ENV_PROXY=1 is set as well (Node 24)'
    return warning('configuration', found, { advice, facts })
  }
  return ok('configuration', found, { facts })
}

/** Where each setting that there is comes from: a flag goes before its variable. */
const names = (flags: ConnectionFlags, env: Terminal['env']): ReadonlyArray<string> => [
  ...Object.entries(flags).flatMap(([name, value]) =>
    name in VARIABLES && value !== undefined ? [`--${kebab(name)}`] : [],
  ),
  ...Object.entries(VARIABLES).flatMap(([name, variable]) =>
    isSet(env[variable]) && !(name in flags) ? [variable] : [],
  ),
]

const kebab = (name: string): string => name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

const baseUrl = (text: string): Finding => {
  try {
    const url = baseUrlOf(text)
    return ok('base URL', url, { facts: { url } })
  } catch (error) {
    if (!(error instanceof InvalidOption)) throw error
    return failed('base URL', error.message, {
      advice: 'take it from the documentation of your account, such as https://api.example.com',
    })
  }
}
