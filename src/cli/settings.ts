/** What a connection is made of: each setting as a flag, as a variable, and as the client has it. */
import { Option } from 'commander'
import { limits } from '../api/limits.js'
import type { InvalidOption } from '../options/index.js'
import { filled } from './parse.js'
import { type Terminal, WrongUse } from './Terminal.js'

// model

interface Setting {
  /** Such as `--base-url`. */
  readonly flag: string
  /** What stands behind it: `<url>`. */
  readonly value: string
  readonly variable: string
  /** What the help says of it. */
  readonly words: string
  /** The option of the client that it becomes. */
  readonly becomes: string
  /** Not for others to see. */
  readonly isSecret?: boolean
  /** What it is where nobody says. */
  readonly fallback?: string
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
    value: '<name>',
    variable: 'PAYMENTS_ENVIRONMENT',
    words: 'whose limits to keep',
    becomes: 'environment',
    fallback: 'production',
  },
  baseUrl: {
    flag: '--base-url',
    value: '<url>',
    variable: 'PAYMENTS_BASE_URL',
    words: 'where the platform is',
    becomes: 'baseUrl',
  },
  apiVersion: {
    flag: '--api-version',
    value: '<date>',
    variable: 'PAYMENTS_API_VERSION',
    words: "the version of the API to ask for, YYYY-MM-DD; the account's own unless given",
    becomes: 'apiVersion',
  },
  clientId: {
    flag: '--client-id',
    value: '<id>',
    variable: 'PAYMENTS_CLIENT_ID',
    words: 'who asks',
    becomes: 'credentials.clientId',
  },
  apiKey: {
    flag: '--api-key',
    value: '<key>',
    variable: 'PAYMENTS_API_KEY',
    words: 'its key',
    becomes: 'credentials.apiKey',
    isSecret: true,
  },
  loginAs: {
    flag: '--login-as',
    value: '<id>',
    variable: 'PAYMENTS_LOGIN_AS',
    words: 'the account, for keys of several',
    becomes: 'credentials.loginAs',
  },
  onBehalfOf: {
    flag: '--on-behalf-of',
    value: '<id>',
    variable: 'PAYMENTS_ON_BEHALF_OF',
    words: 'the connected account to act for',
    becomes: 'onBehalfOf',
  },
  partnerId: {
    flag: '--partner-id',
    value: '<id>',
    variable: 'PAYMENTS_PARTNER_ID',
    words: 'the application',
    becomes: 'partner.clientId',
  },
  partnerSecret: {
    flag: '--partner-secret',
    value: '<secret>',
    variable: 'PAYMENTS_PARTNER_SECRET',
    words: 'its secret',
    becomes: 'partner.clientSecret',
    isSecret: true,
  },
}

export const isSetting = (name: string): name is SettingName => Object.hasOwn(SETTINGS, name)

// constructors

/** What is said of a secret's flag. */
const SEEN = 'other users of this machine can see command lines: prefer the variable'

/** The option of a command for a setting. */
export const settingOption = (name: SettingName): Option => {
  const { flag, value, variable, words, fallback, isSecret } = SETTINGS[name]
  const otherwise = fallback === undefined ? '' : `, ${fallback}`
  const seen = isSecret === true ? `; ${SEEN}` : ''
  const option = new Option(`${flag} ${value}`, `${words} [${variable}${otherwise}]${seen}`)
  return name === 'environment' ? option.choices(ENVIRONMENTS) : option.argParser(filled)
}

/** What is set: a flag goes before its variable, and an empty variable is one that is not set. */
export const reading =
  (flags: SettingFlags, env: Terminal['env']) =>
  (name: SettingName): string | undefined => {
    const { variable, fallback } = SETTINGS[name]
    return flags[name] ?? (env[variable] || fallback)
  }

/** As it is named to whoever can set it. */
const wordsOf = ({ flag, variable }: Setting): string => `${flag} or ${variable}`

/** Throws a `WrongUse` that names both ways to set it. */
export const needed = (read: ReturnType<typeof reading>, name: SettingName): string => {
  const value = read(name)
  if (value !== undefined) return value
  throw new WrongUse(
    `${wordsOf(SETTINGS[name])} is needed (or --sandbox, to try it without an account)`,
  )
}

/** What is wrong with an option of the client, in the words of the command line. */
export const named = ({ option, message }: InvalidOption): string => {
  const setting = Object.values(SETTINGS).find(({ becomes }) => becomes === option)
  return setting === undefined ? message : message.replace(option, wordsOf(setting))
}
