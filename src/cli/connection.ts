/** Where a command connects to, and as whom. */
import type { Command } from 'commander'
import type { Environment } from '../api/limits.js'
import type { ClientOptions } from '../client/ClientOptions.js'
import { defined } from '../fp.js'
import type { Credentials } from '../http/login/tokens.js'
import {
  ENVIRONMENTS,
  requiredSetting,
  SETTINGS,
  type SettingFlags,
  type SettingName,
  settingOption,
  settingReader,
} from './settings.js'
import { type Terminal, UsageError } from './Terminal.js'

// model

export interface ConnectionFlags
  extends Pick<SettingFlags, 'environment' | 'baseUrl' | 'clientId' | 'apiKey'>,
    Pick<SettingFlags, 'apiVersion' | 'loginAs' | 'onBehalfOf'> {}

export interface PartnerFlags
  extends Pick<SettingFlags, 'environment' | 'baseUrl' | 'partnerId' | 'partnerSecret'> {}

/** What a client is made with, and whose data it reads. */
export interface Connection
  extends Pick<ClientOptions, 'baseUrl' | 'apiVersion' | 'partner' | 'onBehalfOf'> {
  readonly environment: Environment
  /** Keys: a command has no source of tokens. */
  readonly credentials?: Credentials
}

/** What a connection cannot do without. */
export const REQUIRED_SETTINGS: ReadonlyArray<SettingName> = ['baseUrl', 'clientId', 'apiKey']

/** The same of a partner's. */
export const REQUIRED_PARTNER_SETTINGS: ReadonlyArray<SettingName> = [
  'baseUrl',
  'partnerId',
  'partnerSecret',
]

// constructors

export const addConnectionOptions = (command: Command): Command =>
  addSettingOptions(command, 'apiVersion', 'clientId', 'apiKey', 'loginAs', 'onBehalfOf')

export const addPartnerOptions = (command: Command): Command =>
  addSettingOptions(command, 'partnerId', 'partnerSecret')

const addSettingOptions = (command: Command, ...own: ReadonlyArray<SettingName>): Command => {
  const names: ReadonlyArray<SettingName> = ['environment', 'baseUrl', ...own]
  return names.reduce((to, name) => to.addOption(settingOption(name)), command)
}

export const connectionFrom = (flags: ConnectionFlags, env: Terminal['env']): Connection => {
  const read = settingReader(flags, env)
  return {
    environment: environmentFrom(flags, env),
    baseUrl: requiredSetting(read, 'baseUrl'),
    credentials: {
      clientId: requiredSetting(read, 'clientId'),
      apiKey: requiredSetting(read, 'apiKey'),
      ...defined({ loginAs: read('loginAs') }),
    },
    ...defined({ apiVersion: read('apiVersion'), onBehalfOf: read('onBehalfOf') }),
  }
}

export const partnerConnectionFrom = (flags: PartnerFlags, env: Terminal['env']): Connection => {
  const read = settingReader(flags, env)
  return {
    environment: environmentFrom(flags, env),
    baseUrl: requiredSetting(read, 'baseUrl'),
    partner: {
      clientId: requiredSetting(read, 'partnerId'),
      clientSecret: requiredSetting(read, 'partnerSecret'),
    },
  }
}

const isEnvironment = (text: string): text is Environment => ENVIRONMENTS.includes(text)

export const environmentFrom = (
  flags: Pick<SettingFlags, 'environment'>,
  env: Terminal['env'],
): Environment => {
  const name = requiredSetting(settingReader(flags, env), 'environment')
  if (isEnvironment(name)) return name
  throw new UsageError(
    `${SETTINGS.environment.variable} should be one of ${ENVIRONMENTS.join(', ')}`,
  )
}
