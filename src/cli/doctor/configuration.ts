/** Checks the settings that a command would use. Shows their names, but of their values only the environment and the base URL. */
import { baseUrlOf } from '../../client/ClientOptions.js'
import { createClient } from '../../client/createClient.js'
import { VARIABLES } from '../../client/fromEnv.js'
import { A, type IO } from '../../fp.js'
import { InvalidOption } from '../../options/index.js'
import {
  type Connection,
  type ConnectionFlags,
  connectionFrom,
  SETTINGS,
  settingsOf,
  variableOf,
  withFlagNames,
} from '../connection.js'
import { UsageError } from '../output.js'
import type { Terminal } from '../Terminal.js'
import { type Finding, failed, found } from './Finding.js'

export interface CheckedConfiguration {
  readonly findings: ReadonlyArray<Finding>
  /** Absent if the settings do not allow a connection. */
  readonly connection?: Connection
}

const PADDED = 'a key or an id begins or ends with a space: remove the space'

export const checkConfiguration = (
  flags: ConnectionFlags,
  env: Terminal['env'],
): CheckedConfiguration => {
  let set = settingsGiven(flags, env)
  try {
    set = settingsGiven(flags, settingsOf(flags, env))
    const connection = connectionFrom(flags, env)
    const { environment, credentials, onBehalfOf } = connection
    const { clientId, apiKey, loginAs } = credentials ?? {}
    const isPadded = [clientId, apiKey, loginAs, onBehalfOf].some((text) => text !== text?.trim())
    const invalid = refusalOf(() => createClient({ ...connection, baseUrl: 'https://localhost' }))
    const invalidUrl = refusalOf(() => baseUrlOf(connection))
    const given = set.join(', ')
    const facts = { set, environment }
    const settings =
      invalid === undefined
        ? found(
            `${given}; limits of ${environment}`,
            facts,
            isPadded ? PADDED : adviceOn(flags, env),
          )
        : failed(`${invalid}; set: ${given}`, facts, isPadded ? PADDED : undefined)
    const configuration = { check: 'configuration', ...settings }
    if (invalidUrl !== undefined) {
      const advice =
        'find it in the documentation of your account: it looks like https://api.example.com'
      const url = { check: 'base URL', ...failed(invalidUrl, undefined, advice) }
      return { findings: [configuration, url] }
    }
    const url = baseUrlOf(connection)
    return { findings: [configuration, { check: 'base URL', ...found(url, { url }) }], connection }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const given = set.length === 0 ? 'nothing is set' : `set: ${set.join(', ')}`
    return {
      findings: [{ check: 'configuration', ...failed(`${error.message}; ${given}`, { set }) }],
    }
  }
}

/** Lists the flags that are given, and the variables of settings given without a flag. */
const settingsGiven = (
  flags: Readonly<Record<string, unknown>>,
  env: Terminal['env'],
): ReadonlyArray<string> => {
  const settings = Object.entries(SETTINGS).filter(([name]) => !name.startsWith('partner'))
  const { left, right } = A.partition(([name]: [string, unknown]) => flags[name] !== undefined)(
    settings,
  )
  const variables = left.map(([, { clientOption }]) => VARIABLES[clientOption].name)
  const file = flags.envFile === undefined ? [] : ['--env-file']
  return [...right.map(([, { flag }]) => flag), ...file, ...variables.filter((name) => env[name])]
}

const adviceOn = (flags: ConnectionFlags, env: Terminal['env']): string | undefined => {
  if (flags.apiKey !== undefined) {
    return `other users of this machine can see --api-key: set ${variableOf('apiKey')} instead`
  }
  return (env.HTTPS_PROXY ?? env.https_proxy) && env.NODE_USE_ENV_PROXY !== '1'
    ? 'HTTPS_PROXY is set, but Node uses it only if NODE_USE_ENV_PROXY=1 is set too (Node 24)'
    : undefined
}

/** Calls a constructor, and returns the reason why it rejects its options. */
const refusalOf = (make: IO<unknown>): string | undefined => {
  try {
    make()
    return undefined
  } catch (error) {
    if (error instanceof InvalidOption) return withFlagNames(error)
    throw error
  }
}
