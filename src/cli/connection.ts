/** Where a command connects to: its options, and where they are silent the environment. */
import { type Command, Option } from 'commander'
import { type Environment, limits } from '../api/limits.js'
import type { ClientOptions } from '../ClientOptions.js'
import { type Terminal, WrongUse } from './Terminal.js'

// model

export interface ConnectionFlags {
  readonly environment?: Environment
  readonly baseUrl?: string
  readonly clientId?: string
  readonly apiKey?: string
}

export type Connection = Pick<ClientOptions, 'baseUrl' | 'credentials' | 'environment'>

export const ENVIRONMENTS = Object.keys(limits)

// constructors

export const withConnection = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--environment <name>',
        'whose limits to keep [PAYMENTS_ENVIRONMENT, production]',
      ).choices(ENVIRONMENTS),
    )
    .option('--base-url <url>', 'where the platform is [PAYMENTS_BASE_URL]')
    .option('--client-id <id>', 'who asks [PAYMENTS_CLIENT_ID]')
    .option(
      '--api-key <key>',
      'its key [PAYMENTS_API_KEY]; other users of this machine can see command lines: prefer the variable',
    )

export const connection = (flags: ConnectionFlags, env: Terminal['env']): Connection => ({
  environment: environmentOf(flags, env),
  baseUrl: needed(flags.baseUrl ?? env.PAYMENTS_BASE_URL, '--base-url', 'PAYMENTS_BASE_URL'),
  credentials: {
    clientId: needed(flags.clientId ?? env.PAYMENTS_CLIENT_ID, '--client-id', 'PAYMENTS_CLIENT_ID'),
    apiKey: needed(flags.apiKey ?? env.PAYMENTS_API_KEY, '--api-key', 'PAYMENTS_API_KEY'),
  },
})

const needed = (value: string | undefined, option: string, variable: string): string => {
  if (value !== undefined && value !== '') return value
  throw new WrongUse(
    `${option} or ${variable} is needed (or --sandbox, to try it without an account)`,
  )
}

const isEnvironment = (text: string): text is Environment => ENVIRONMENTS.includes(text)

export const environmentOf = (flags: ConnectionFlags, env: Terminal['env']): Environment => {
  const name = flags.environment ?? env.PAYMENTS_ENVIRONMENT ?? 'production'
  if (isEnvironment(name)) return name
  throw new WrongUse(`PAYMENTS_ENVIRONMENT should be one of ${ENVIRONMENTS.join(', ')}`)
}
