/** What a command would be run with: which settings are there, and never their values. */
import { baseUrlOf } from '../../client/ClientOptions.js'
import { createClient } from '../../client/createClient.js'
import { InvalidOption } from '../../options/index.js'
import { type Connection, type ConnectionFlags, connectionFrom } from '../connection.js'
import { isSetting, SETTINGS, withFlagNames } from '../settings.js'
import { type Terminal, UsageError } from '../Terminal.js'
import { type Finding, failed, ok, warning } from './Finding.js'

// model

export interface CheckedConfiguration {
  readonly findings: ReadonlyArray<Finding>
  /** Left out when nothing can be reached with it. */
  readonly connection?: Connection
}

/** The settings it looks at, in the order that variables are told in. */
const NAMES: ReadonlyArray<keyof ConnectionFlags> = [
  'baseUrl',
  'clientId',
  'apiKey',
  'environment',
  'apiVersion',
  'loginAs',
  'onBehalfOf',
]

// constructors

export const checkConfiguration = (
  flags: ConnectionFlags,
  env: Terminal['env'],
): CheckedConfiguration => {
  try {
    const found = connectionFrom(flags, env)
    const place = checkBaseUrl(found.baseUrl)
    const refused = invalidOption(found)
    const other = refused?.option === 'baseUrl' ? undefined : refused // which `place` tells
    const findings = [checkSettings(flags, env, found, other), place]
    return place.verdict === 'failed' ? { findings } : { findings, connection: found }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const set = settingsGiven(flags, env)
    const found = `${error.message}; ${set.length === 0 ? 'nothing is set' : `set: ${set.join(', ')}`}`
    return { findings: [failed('configuration', found, { facts: { set } })] }
  }
}

/** Why no client can be made with them. */
const invalidOption = (found: Connection): InvalidOption | undefined => {
  try {
    createClient(found)
    return undefined
  } catch (error) {
    if (!(error instanceof InvalidOption)) throw error
    return error
  }
}

const checkSettings = (
  flags: ConnectionFlags,
  env: Terminal['env'],
  { credentials, environment, onBehalfOf }: Connection,
  refused?: InvalidOption,
): Finding => {
  const set = settingsGiven(flags, env)
  const facts = { set, environment }
  const found = `${set.join(', ')}; limits of ${environment}`
  const { clientId, apiKey, loginAs } = credentials ?? {}
  const padded = [clientId, apiKey, loginAs, onBehalfOf].some((text) => text !== text?.trim())
  const more = padded
    ? { advice: 'a key or an id begins or ends with a space or a line break: take it out', facts }
    : { facts }
  if (refused !== undefined) {
    return failed('configuration', `${withFlagNames(refused)}; set: ${set.join(', ')}`, more)
  }
  if (padded) return warning('configuration', found, more)
  if (flags.apiKey !== undefined) {
    const advice = `other users of this machine can see --api-key: set ${SETTINGS.apiKey.variable} in its place`
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
const settingsGiven = (flags: ConnectionFlags, env: Terminal['env']): ReadonlyArray<string> => [
  ...Object.keys(flags)
    .filter(isSetting)
    .map((name) => SETTINGS[name].flag),
  ...NAMES.filter((name) => !(name in flags))
    .map((name) => SETTINGS[name].variable)
    .filter((variable) => isSet(env[variable])),
]

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

const checkBaseUrl = (text: string): Finding => {
  try {
    const url = baseUrlOf(text)
    return ok('base URL', url, { facts: { url } })
  } catch (error) {
    if (!(error instanceof InvalidOption)) throw error
    return failed('base URL', withFlagNames(error), {
      advice: 'take it from the documentation of your account, such as https://api.example.com',
    })
  }
}
