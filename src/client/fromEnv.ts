/** Reads a client's connection from environment variables, for `createClient()` and the command line. */
import { type Environment, limits } from '../api/limits.js'
import { withoutUndefined } from '../fp.js'
import type { Credentials } from '../http/login/tokens.js'
import { InvalidOption, is, readVariable, type Variables } from '../options/index.js'
import { baseUrlOf, type ClientOptions, clientOptions } from './ClientOptions.js'

/**
 * Variables by name, such as `process.env`. An empty variable counts as not set. One trailing line break is dropped, because
 * mounted secrets usually end with one.
 */
export type Env = Variables

/** Options of a client for one account, or for one application. */
export interface Connection
  extends Pick<ClientOptions, 'plainHttp' | 'apiVersion' | 'partner' | 'onBehalfOf'> {
  readonly environment: Environment
  readonly baseUrl: string
  /** API keys. A variable cannot hold a source of tokens. */
  readonly credentials?: Credentials
}

interface Variable {
  readonly name: string
  /** Completes the sentence "it should be set to ...". */
  readonly holds: string
}

export const VARIABLES = {
  environment: { name: 'PAYMENTS_ENVIRONMENT', holds: 'the environment' },
  baseUrl: {
    name: 'PAYMENTS_BASE_URL',
    holds: 'the URL of the platform, such as https://api.example.com',
  },
  plainHttp: { name: 'PAYMENTS_PLAIN_HTTP', holds: '1 or 0' },
  apiVersion: { name: 'PAYMENTS_API_VERSION', holds: 'a version of the API' },
  onBehalfOf: { name: 'PAYMENTS_ON_BEHALF_OF', holds: 'the id of a connected account' },
  'credentials.clientId': { name: 'PAYMENTS_CLIENT_ID', holds: 'the client id of an API key' },
  'credentials.apiKey': { name: 'PAYMENTS_API_KEY', holds: 'the API key' },
  'credentials.loginAs': { name: 'PAYMENTS_LOGIN_AS', holds: 'the id of an account' },
  'partner.clientId': {
    name: 'PAYMENTS_PARTNER_ID',
    holds: 'the client id of an OAuth application',
  },
  'partner.clientSecret': {
    name: 'PAYMENTS_PARTNER_SECRET',
    holds: 'the client secret of that application',
  },
} as const satisfies Readonly<Record<string, Variable>>

export type VariableOption = keyof typeof VARIABLES

const ACCOUNT = ['credentials.clientId', 'credentials.apiKey'] as const

const APPLICATION = ['partner.clientId', 'partner.clientSecret'] as const

/**
 * Returns the connection in environment variables such as `PAYMENTS_BASE_URL`, as options for `createClient`. Throws an
 * `InvalidOption` that names all missing variables, or one with a wrong value.
 */
export const fromEnv = (env: Env = processEnv()): ClientOptions => connectionFor({}, env)

/** Completes options without a `baseUrl` from the variables. Given options take precedence. */
export const withConnection = (given: ClientOptions): ClientOptions =>
  is.isObject(given) && given.baseUrl === undefined
    ? { ...connectionFor(given, processEnv()), ...withoutUndefined({ ...given }) }
    : given

/** Reads variables. Checks only the values of `environment` and `plainHttp`. */
export const readVariables = (env: Env): Connection => {
  const value = reader(env)
  const [clientId, apiKey] = ACCOUNT.map(value)
  const [partnerId, clientSecret] = APPLICATION.map(value)
  const loginAs = value('credentials.loginAs')
  return {
    environment: readEnvironment(env),
    baseUrl: value('baseUrl') ?? '',
    plainHttp: readPlainHttp(env),
    ...withoutUndefined({ apiVersion: value('apiVersion'), onBehalfOf: value('onBehalfOf') }),
    ...(clientId === undefined || apiKey === undefined
      ? {}
      : { credentials: { clientId, apiKey, ...withoutUndefined({ loginAs }) } }),
    ...(partnerId === undefined || clientSecret === undefined
      ? {}
      : { partner: { clientId: partnerId, clientSecret } }),
  }
}

/** Throws an `InvalidOption` for an unknown environment. */
export const readEnvironment = (env: Env): Environment => {
  const name = reader(env)('environment') ?? 'production'
  if (isEnvironment(name)) return name
  throw new InvalidOption(VARIABLES.environment.name, `one of ${Object.keys(limits).join(', ')}`)
}

const isEnvironment = (name: string): name is Environment => Object.hasOwn(limits, name)

const readPlainHttp = (env: Env): boolean => {
  const value = reader(env)('plainHttp') ?? '0'
  if (value === '0' || value === '1') return value === '1'
  throw new InvalidOption(VARIABLES.plainHttp.name, VARIABLES.plainHttp.holds)
}

export const notSet = (
  env: Env,
  options: ReadonlyArray<VariableOption>,
): ReadonlyArray<VariableOption> => options.filter((option) => reader(env)(option) === undefined)

const reader =
  (env: Env) =>
  (option: VariableOption): string | undefined =>
    readVariable(env, VARIABLES[option].name)

const connectionFor = (given: ClientOptions, env: Env): ClientOptions => {
  const missing = notSet(env, ['baseUrl', ...keysFor(given, env)])
  const [first] = missing
  if (first !== undefined) throw missingVariables(first, missing.slice(1))
  const connection = readVariables(env)
  try {
    baseUrlOf(clientOptions(connection))
    return connection
  } catch (error) {
    throw error instanceof InvalidOption ? withVariableName(error) : error
  }
}

/** Returns the keys to require: both of each pair of which one is set, or the account's pair if none is set. */
const keysFor = (
  { credentials, partner }: ClientOptions,
  env: Env,
): ReadonlyArray<VariableOption> => {
  if (credentials !== undefined || partner !== undefined) return []
  const begun = [ACCOUNT, APPLICATION].filter((pair) => notSet(env, pair).length < pair.length)
  return begun.length === 0 ? ACCOUNT : begun.flat()
}

const missingVariables = (
  first: VariableOption,
  others: ReadonlyArray<VariableOption>,
): InvalidOption => {
  const rest = others.map((option) => `, ${VARIABLES[option].name} to ${VARIABLES[option].holds}`)
  return new InvalidOption(
    VARIABLES[first].name,
    `set to ${VARIABLES[first].holds}${rest.join('')}: without the option baseUrl, the client reads its connection from environment variables. If you have no account, start a local sandbox with "npx payments-rx sandbox"`,
  )
}

const withVariableName = (error: InvalidOption): InvalidOption => {
  const { option, message } = error
  if (!Object.hasOwn(VARIABLES, option)) return error
  const { name } = VARIABLES[option as VariableOption] // an own property, as just tested
  return new InvalidOption(name, message.replace(`${option} should be `, ''))
}

/** Throws an `InvalidOption` if the runtime has no environment variables, as in a browser. */
const processEnv = (): Env => {
  if (typeof process === 'object' && is.isObject(process.env)) return process.env
  throw new InvalidOption('baseUrl', 'given, because this runtime has no environment variables')
}
