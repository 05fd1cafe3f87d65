/** Checks the settings that a command would be run with. Names them, and never shows their values. */
import { baseUrlOf } from '../../client/ClientOptions.js'
import { createClient } from '../../client/createClient.js'
import { InvalidOption } from '../../options/index.js'
import {
  type Connection,
  type ConnectionFlags,
  connectionFrom,
  SETTINGS,
  variableOf,
  withFlagNames,
} from '../connection.js'
import { UsageError } from '../output.js'
import type { Terminal } from '../Terminal.js'
import { type Finding, failed, ok, warning } from './Finding.js'

// model

export interface CheckedConfiguration {
  readonly findings: ReadonlyArray<Finding>
  /** Left out when nothing can be reached with it. */
  readonly connection?: Connection
}

/** In the order that variables are listed in. */
const NAMES: ReadonlyArray<keyof ConnectionFlags> = [
  'baseUrl',
  'plainHttp',
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
  const set = settingsGiven(flags, env)
  try {
    const connection = connectionFrom(flags, env)
    const invalid = invalidOption(() => createClient(connection))
    const url = checkBaseUrl(connection)
    const settings = checkSettings(flags, env, {
      connection,
      set,
      // a base URL has a finding of its own
      ...(invalid?.option === 'baseUrl' ? {} : { invalid }),
    })
    const findings = [settings, url]
    return url.verdict === 'failed' ? { findings } : { findings, connection }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const found = `${error.message}; ${set.length === 0 ? 'nothing is set' : `set: ${set.join(', ')}`}`
    return { findings: [failed('configuration', found, { facts: { set } })] }
  }
}

/** Lists flags, and the variables of those settings that have no flag. */
const settingsGiven = (flags: ConnectionFlags, env: Terminal['env']): ReadonlyArray<string> => [
  ...NAMES.filter((name) => flags[name] !== undefined).map((name) => SETTINGS[name].flag),
  ...NAMES.filter((name) => flags[name] === undefined)
    .map((name) => variableOf(name))
    .filter((variable) => isSet(env[variable])),
]

const isSet = (value: string | undefined): boolean => value !== undefined && value !== ''

const checkSettings = (
  flags: ConnectionFlags,
  env: Terminal['env'],
  {
    connection: { credentials, environment, onBehalfOf },
    set,
    invalid,
  }: {
    readonly connection: Connection
    readonly set: ReadonlyArray<string>
    readonly invalid?: InvalidOption | undefined
  },
): Finding => {
  const facts = { set, environment }
  const found = `${set.join(', ')}; limits of ${environment}`
  const { clientId, apiKey, loginAs } = credentials ?? {}
  const isPadded = [clientId, apiKey, loginAs, onBehalfOf].some((text) => text !== text?.trim())
  const padded = 'a key or an id begins or ends with a space or a line break: take it out'
  const warn = (advice: string): Finding => warning('configuration', found, { advice, facts })

  if (invalid !== undefined) {
    return failed('configuration', `${withFlagNames(invalid)}; set: ${set.join(', ')}`, {
      ...(isPadded ? { advice: padded } : {}),
      facts,
    })
  }
  if (isPadded) return warn(padded)
  if (flags.apiKey !== undefined) {
    return warn(
      `other users of this machine can see --api-key: set ${variableOf('apiKey')} in its place`,
    )
  }
  if (isSet(env.HTTPS_PROXY ?? env.https_proxy) && env.NODE_USE_ENV_PROXY !== '1') {
    return warn(
      'HTTPS_PROXY is set, and Node uses it only where NODE_USE_ENV_PROXY=1 is set as well (Node 24)',
    )
  }
  return ok('configuration', found, { facts })
}

const checkBaseUrl = (connection: Connection): Finding => {
  const invalid = invalidOption(() => baseUrlOf(connection))
  if (invalid !== undefined) {
    return failed('base URL', withFlagNames(invalid), {
      advice: 'take it from the documentation of your account, such as https://api.example.com',
    })
  }
  const url = baseUrlOf(connection)
  return ok('base URL', url, { facts: { url } })
}

const invalidOption = (make: () => unknown): InvalidOption | undefined => {
  try {
    make()
    return undefined
  } catch (error) {
    if (error instanceof InvalidOption) return error
    throw error
  }
}
