/** The settings of a connection: each as a flag, as a variable, and as an option of the client. */
import { type Command, Option } from 'commander'
import { type Environment, limits } from '../api/limits.js'
import type { ClientOptions } from '../client/ClientOptions.js'
import { defined } from '../fp.js'
import type { Credentials } from '../http/login/tokens.js'
import type { InvalidOption } from '../options/index.js'
import type { SandboxOptions } from '../sandbox/index.js'
import { nonEmpty } from './optionParsers.js'
import { UsageError } from './output.js'
import type { Terminal } from './Terminal.js'

// settings

interface Setting {
  readonly flag: string
  /** Left out for a switch. */
  readonly placeholder?: string
  readonly variable: string
  readonly description: string
  /** Path of the option of the client. */
  readonly clientOption: string
  readonly isSecret?: boolean
  readonly defaultValue?: string
}

export type SettingName =
  | 'environment'
  | 'baseUrl'
  | 'plainHttp'
  | 'apiVersion'
  | 'clientId'
  | 'apiKey'
  | 'loginAs'
  | 'onBehalfOf'
  | 'partnerId'
  | 'partnerSecret'

export const ENVIRONMENTS = Object.keys(limits)

/** By the names that commander gives to the flags. */
export const SETTINGS: Readonly<Record<SettingName, Setting>> = {
  environment: {
    flag: '--environment',
    placeholder: '<name>',
    variable: 'PAYMENTS_ENVIRONMENT',
    description: 'whose limits to keep',
    clientOption: 'environment',
    defaultValue: 'production',
  },
  baseUrl: {
    flag: '--base-url',
    placeholder: '<url>',
    variable: 'PAYMENTS_BASE_URL',
    description: 'where the platform is',
    clientOption: 'baseUrl',
  },
  plainHttp: {
    flag: '--plain-http',
    variable: 'PAYMENTS_PLAIN_HTTP',
    description: 'let the base URL be HTTP on another machine: keys and data travel unencrypted',
    clientOption: 'plainHttp',
  },
  apiVersion: {
    flag: '--api-version',
    placeholder: '<date>',
    variable: 'PAYMENTS_API_VERSION',
    description: "the version of the API to ask for, YYYY-MM-DD; the account's own unless given",
    clientOption: 'apiVersion',
  },
  clientId: {
    flag: '--client-id',
    placeholder: '<id>',
    variable: 'PAYMENTS_CLIENT_ID',
    description: 'who asks',
    clientOption: 'credentials.clientId',
  },
  apiKey: {
    flag: '--api-key',
    placeholder: '<key>',
    variable: 'PAYMENTS_API_KEY',
    description: 'its key',
    clientOption: 'credentials.apiKey',
    isSecret: true,
  },
  loginAs: {
    flag: '--login-as',
    placeholder: '<id>',
    variable: 'PAYMENTS_LOGIN_AS',
    description: 'the account, for keys of several',
    clientOption: 'credentials.loginAs',
  },
  onBehalfOf: {
    flag: '--on-behalf-of',
    placeholder: '<id>',
    variable: 'PAYMENTS_ON_BEHALF_OF',
    description: 'the connected account to act for',
    clientOption: 'onBehalfOf',
  },
  partnerId: {
    flag: '--partner-id',
    placeholder: '<id>',
    variable: 'PAYMENTS_PARTNER_ID',
    description: 'the application',
    clientOption: 'partner.clientId',
  },
  partnerSecret: {
    flag: '--partner-secret',
    placeholder: '<secret>',
    variable: 'PAYMENTS_PARTNER_SECRET',
    description: 'its secret',
    clientOption: 'partner.clientSecret',
    isSecret: true,
  },
}

const VISIBLE_TO_OTHERS = 'other users of this machine can see command lines: prefer the variable'

const settingOption = (name: SettingName): Option => {
  const { flag, placeholder, variable, description, defaultValue, isSecret } = SETTINGS[name]
  const otherwise = defaultValue === undefined ? '' : `, ${defaultValue}`
  const warning = isSecret === true ? `; ${VISIBLE_TO_OTHERS}` : ''
  const option = new Option(
    placeholder === undefined ? flag : `${flag} ${placeholder}`,
    `${description} [${variable}${otherwise}]${warning}`,
  )
  if (placeholder === undefined) return option
  return name === 'environment' ? option.choices(ENVIRONMENTS) : option.argParser(nonEmpty)
}

const flagOrVariable = ({ flag, variable }: Setting): string => `${flag} or ${variable}`

/** Replaces the options of the client in a message by flags and variables. */
export const withFlagNames = ({ option, message }: InvalidOption): string => {
  const setting = Object.values(SETTINGS).find(({ clientOption }) => clientOption === option)
  const named = setting === undefined ? message : message.replace(option, flagOrVariable(setting))
  return named.replace('with plainHttp', `with ${SETTINGS.plainHttp.flag}`)
}

// connections

type TextSetting = Exclude<SettingName, 'plainHttp'>

type SettingFlags = { readonly [Name in TextSetting]?: string } & { readonly plainHttp?: true }

export type ConnectionFlags = Omit<SettingFlags, 'partnerId' | 'partnerSecret'>

export type PartnerFlags = Pick<
  SettingFlags,
  'environment' | 'baseUrl' | 'plainHttp' | 'partnerId' | 'partnerSecret'
>

/** Options of a client for one account. */
export interface Connection
  extends Pick<ClientOptions, 'baseUrl' | 'plainHttp' | 'apiVersion' | 'partner' | 'onBehalfOf'> {
  readonly environment: Environment
  /** Keys: a command has no source of tokens. */
  readonly credentials?: Credentials
}

export const REQUIRED_SETTINGS: ReadonlyArray<SettingName> = ['baseUrl', 'clientId', 'apiKey']

export const REQUIRED_PARTNER_SETTINGS: ReadonlyArray<SettingName> = [
  'baseUrl',
  'partnerId',
  'partnerSecret',
]

export const addConnectionOptions = (command: Command): Command =>
  addSettings(command, 'apiVersion', 'clientId', 'apiKey', 'loginAs', 'onBehalfOf')

export const addPartnerOptions = (command: Command): Command =>
  addSettings(command, 'partnerId', 'partnerSecret')

const addSettings = (command: Command, ...own: ReadonlyArray<SettingName>): Command => {
  const names: ReadonlyArray<SettingName> = ['environment', 'baseUrl', 'plainHttp', ...own]
  return names.reduce((to, name) => to.addOption(settingOption(name)), command)
}

/** Throws a `UsageError` that names the flag and the variable of a setting that is missing. */
export const connectionFrom = (flags: ConnectionFlags, env: Terminal['env']): Connection => {
  const { optional, required } = settingsFrom(flags, env)
  return {
    environment: environmentFrom(flags, env),
    baseUrl: required('baseUrl'),
    plainHttp: isPlainHttp(flags, env),
    credentials: {
      clientId: required('clientId'),
      apiKey: required('apiKey'),
      ...defined({ loginAs: optional('loginAs') }),
    },
    ...defined({ apiVersion: optional('apiVersion'), onBehalfOf: optional('onBehalfOf') }),
  }
}

/** Throws a `UsageError`, as `connectionFrom` does. */
export const partnerConnectionFrom = (flags: PartnerFlags, env: Terminal['env']): Connection => {
  const { required } = settingsFrom(flags, env)
  return {
    environment: environmentFrom(flags, env),
    baseUrl: required('baseUrl'),
    plainHttp: isPlainHttp(flags, env),
    partner: { clientId: required('partnerId'), clientSecret: required('partnerSecret') },
  }
}

const isPlainHttp = (flags: SettingFlags, env: Terminal['env']): boolean => {
  const { variable } = SETTINGS.plainHttp
  const value = env[variable] || '0'
  if (value !== '0' && value !== '1') throw new UsageError(`${variable} should be 1 or 0`)
  return flags.plainHttp ?? value === '1'
}

export const environmentFrom = (
  flags: Pick<SettingFlags, 'environment'>,
  env: Terminal['env'],
): Environment => {
  const name = settingsFrom(flags, env).required('environment')
  if (isEnvironment(name)) return name
  throw new UsageError(
    `${SETTINGS.environment.variable} should be one of ${ENVIRONMENTS.join(', ')}`,
  )
}

const isEnvironment = (text: string): text is Environment => ENVIRONMENTS.includes(text)

/** Reads settings: a flag goes before its variable, and an empty variable counts as not set. */
const settingsFrom = (flags: SettingFlags, env: Terminal['env']) => {
  const optional = (name: TextSetting): string | undefined => {
    const { variable, defaultValue } = SETTINGS[name]
    return flags[name] ?? (env[variable] || defaultValue)
  }
  const required = (name: TextSetting): string => {
    const value = optional(name)
    if (value !== undefined) return value
    throw new UsageError(
      `${flagOrVariable(SETTINGS[name])} is needed (or --sandbox, to try it without an account)`,
    )
  }
  return { optional, required }
}

// sandbox

/** `--sandbox`, in place of every setting but the environment. */
export const sandboxOption = (description: string): Option => {
  const { environment: _, ...others } = SETTINGS
  return new Option('--sandbox', description).conflicts(Object.keys(others))
}

/** Runs `work` against a sandbox on a free port, and closes it however the work ends. */
export const withSandbox = async <A>(
  options: SandboxOptions & { readonly environment: Environment },
  work: (connection: Connection) => Promise<A>,
): Promise<A> => {
  const { listen, sandboxCredentials, sandboxPartner } = await import('../sandbox/index.js') // loaded only here, for a fast start
  const server = await listen(options)
  try {
    return await work({
      environment: options.environment,
      baseUrl: server.url,
      credentials: sandboxCredentials,
      partner: sandboxPartner,
    })
  } finally {
    await server.close()
  }
}
