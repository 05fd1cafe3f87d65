/** What a connection is made of: each setting as a flag, as a variable, and as the client has it. */
import { Option } from 'commander'
import { limits } from '../api/limits.js'
import type { InvalidOption } from '../options/index.js'
import { nonEmpty } from './optionParsers.js'
import { type Terminal, UsageError } from './Terminal.js'

// model

interface Setting {
  /** Such as `--base-url`. */
  readonly flag: string
  /** What stands behind it: `<url>`. */
  readonly placeholder: string
  readonly variable: string
  /** What the help says of it. */
  readonly description: string
  /** The option of the client that it becomes. */
  readonly clientOption: string
  /** Not for others to see. */
  readonly isSecret?: boolean
  /** What it is where nobody says. */
  readonly defaultValue?: string
}

export type SettingName =
  | 'environment'
  | 'baseUrl'
  | 'apiVersion'
  | 'clientId'
  | 'apiKey'
  | 'loginAs'
  | 'onBehalfOf'
  | 'partnerId'
  | 'partnerSecret'

/** As flags have them. */
export type SettingFlags = { readonly [Name in SettingName]?: string }

/** Those there are. */
export const ENVIRONMENTS = Object.keys(limits)

/** By the names that commander has for them. */
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

export const isSetting = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name)

// constructors

/** What is said of a secret's flag. */
const VISIBLE_TO_OTHERS = 'other users of this machine can see command lines: prefer the variable'

/** The option of a command for a setting. */
export const settingOption = (name: SettingName): Option => {
  const { flag, placeholder, variable, description, defaultValue, isSecret } = SETTINGS[name]
  const otherwise = defaultValue === undefined ? '' : `, ${defaultValue}`
  const seen = isSecret === true ? `; ${VISIBLE_TO_OTHERS}` : ''
  const option = new Option(
    `${flag} ${placeholder}`,
    `${description} [${variable}${otherwise}]${seen}`,
  )
  return name === 'environment' ? option.choices(ENVIRONMENTS) : option.argParser(nonEmpty)
}

/** What is set: a flag goes before its variable, and an empty variable is one that is not set. */
export const settingReader =
  (flags: SettingFlags, env: Terminal['env']) =>
  (name: SettingName): string | undefined => {
    const { variable, defaultValue } = SETTINGS[name]
    return flags[name] ?? (env[variable] || defaultValue)
  }

/** As it is named to whoever can set it. */
const flagOrVariable = ({ flag, variable }: Setting): string => `${flag} or ${variable}`

/** Throws a `WrongUse` that names both ways to set it. */
export const requiredSetting = (
  read: ReturnType<typeof settingReader>,
  name: SettingName,
): string => {
  const value = read(name)
  if (value !== undefined) return value
  throw new UsageError(
    `${flagOrVariable(SETTINGS[name])} is needed (or --sandbox, to try it without an account)`,
  )
}

/** What is wrong with an option of the client, in the words of the command line. */
export const withFlagNames = ({ option, message }: InvalidOption): string => {
  const setting = Object.values(SETTINGS).find(({ clientOption }) => clientOption === option)
  return setting === undefined ? message : message.replace(option, flagOrVariable(setting))
}
