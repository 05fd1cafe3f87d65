/** Where a command connects to, and as whom. */
import type { Command } from 'commander'
import type { Environment } from '../api/limits.js'
import type { ClientOptions } from '../client/ClientOptions.js'
import { defined } from '../fp.js'
import type { Credentials } from '../http/login/login.js'
import {
  ENVIRONMENTS,
  needed,
  reading,
  SETTINGS,
  type SettingFlags,
  type SettingName,
  settingOption,
} from './settings.js'
import { type Terminal, WrongUse } from './Terminal.js'

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
export const NEEDED: ReadonlyArray<SettingName> = ['baseUrl', 'clientId', 'apiKey']

/** The same of a partner's. */
export const PARTNER_NEEDED: ReadonlyArray<SettingName> = ['baseUrl', 'partnerId', 'partnerSecret']

// constructors

export const withConnection = (command: Command): Command =>
  withSettings(command, 'apiVersion', 'clientId', 'apiKey', 'loginAs', 'onBehalfOf')

export const withPartner = (command: Command): Command =>
  withSettings(command, 'partnerId', 'partnerSecret')

const withSettings = (command: Command, ...own: ReadonlyArray<SettingName>): Command => {
  const names: ReadonlyArray<SettingName> = ['environment', 'baseUrl', ...own]
  return names.reduce((to, name) => to.addOption(settingOption(name)), command)
}

export const connection = (flags: ConnectionFlags, env: Terminal['env']): Connection => {
  const read = reading(flags, env)
  return {
    environment: environmentOf(flags, env),
    baseUrl: needed(read, 'baseUrl'),
    credentials: {
      clientId: needed(read, 'clientId'),
      apiKey: needed(read, 'apiKey'),
      ...defined({ loginAs: read('loginAs') }),
    },
    ...defined({ apiVersion: read('apiVersion'), onBehalfOf: read('onBehalfOf') }),
  }
}

export const partnerConnection = (flags: PartnerFlags, env: Terminal['env']): Connection => {
  const read = reading(flags, env)
  return {
    environment: environmentOf(flags, env),
    baseUrl: needed(read, 'baseUrl'),
    partner: {
      clientId: needed(read, 'partnerId'),
      clientSecret: needed(read, 'partnerSecret'),
    },
  }
}

const isEnvironment = (text: string): text is Environment => ENVIRONMENTS.includes(text)

export const environmentOf = (
  flags: Pick<SettingFlags, 'environment'>,
  env: Terminal['env'],
): Environment => {
  const name = needed(reading(flags, env), 'environment')
  if (isEnvironment(name)) return name
  throw new WrongUse(`${SETTINGS.environment.variable} should be one of ${ENVIRONMENTS.join(', ')}`)
}
