/** Where a command connects to: its options, and where they are silent the environment. */
import { type Command, Option } from 'commander'
import { type Environment, limits } from '../api/limits.js'
import type { ClientOptions } from '../client/ClientOptions.js'
import { defined } from '../fp.js'
import type { InvalidOption } from '../options/index.js'
import { filled } from './parse.js'
import { type Terminal, WrongUse } from './Terminal.js'

// model

export interface ConnectionFlags {
  readonly environment?: Environment
  readonly baseUrl?: string
  readonly clientId?: string
  readonly apiKey?: string
  readonly loginAs?: string
  readonly onBehalfOf?: string
}

export interface PartnerFlags {
  readonly environment?: Environment
  readonly baseUrl?: string
  readonly partnerId?: string
  readonly partnerSecret?: string
}

/** What a client is made with, and whose data it reads. */
export interface Connection
  extends Pick<
    ClientOptions,
    'baseUrl' | 'credentials' | 'partner' | 'environment' | 'onBehalfOf'
  > {
  readonly environment: Environment
}

/** Options of the client, by their names here. */
const NAMES: Readonly<Record<string, string>> = {
  baseUrl: '--base-url or PAYMENTS_BASE_URL',
  'credentials.clientId': '--client-id or PAYMENTS_CLIENT_ID',
  'credentials.apiKey': '--api-key or PAYMENTS_API_KEY',
  'credentials.loginAs': '--login-as or PAYMENTS_LOGIN_AS',
  onBehalfOf: '--on-behalf-of or PAYMENTS_ON_BEHALF_OF',
  'partner.clientId': '--partner-id or PAYMENTS_PARTNER_ID',
  'partner.clientSecret': '--partner-secret or PAYMENTS_PARTNER_SECRET',
}

export const ENVIRONMENTS = Object.keys(limits)

// constructors

const SEEN = 'other users of this machine can see command lines: prefer the variable'

export const withConnection = (command: Command): Command =>
  withPlace(command)
    .option('--client-id <id>', 'who asks [PAYMENTS_CLIENT_ID]', filled)
    .option('--api-key <key>', `its key [PAYMENTS_API_KEY]; ${SEEN}`, filled)
    .option('--login-as <id>', 'the account, for keys of several [PAYMENTS_LOGIN_AS]', filled)
    .option(
      '--on-behalf-of <id>',
      'the connected account to act for [PAYMENTS_ON_BEHALF_OF]',
      filled,
    )

export const withPartner = (command: Command): Command =>
  withPlace(command)
    .option('--partner-id <id>', 'the application [PAYMENTS_PARTNER_ID]', filled)
    .option('--partner-secret <secret>', `its secret [PAYMENTS_PARTNER_SECRET]; ${SEEN}`, filled)

const withPlace = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--environment <name>',
        'whose limits to keep [PAYMENTS_ENVIRONMENT, production]',
      ).choices(ENVIRONMENTS),
    )
    .option('--base-url <url>', 'where the platform is [PAYMENTS_BASE_URL]', filled)

export const connection = (flags: ConnectionFlags, env: Terminal['env']): Connection => {
  const loginAs = flags.loginAs ?? set(env.PAYMENTS_LOGIN_AS)
  const onBehalfOf = flags.onBehalfOf ?? set(env.PAYMENTS_ON_BEHALF_OF)
  return {
    ...placeOf(flags, env),
    credentials: {
      clientId: needed(
        flags.clientId ?? env.PAYMENTS_CLIENT_ID,
        '--client-id',
        'PAYMENTS_CLIENT_ID',
      ),
      apiKey: needed(flags.apiKey ?? env.PAYMENTS_API_KEY, '--api-key', 'PAYMENTS_API_KEY'),
      ...defined({ loginAs }),
    },
    ...defined({ onBehalfOf }),
  }
}

export const partnerConnection = (flags: PartnerFlags, env: Terminal['env']): Connection => ({
  ...placeOf(flags, env),
  partner: {
    clientId: needed(
      flags.partnerId ?? env.PAYMENTS_PARTNER_ID,
      '--partner-id',
      'PAYMENTS_PARTNER_ID',
    ),
    clientSecret: needed(
      flags.partnerSecret ?? env.PAYMENTS_PARTNER_SECRET,
      '--partner-secret',
      'PAYMENTS_PARTNER_SECRET',
    ),
  },
})

const placeOf = (
  flags: Pick<ConnectionFlags, 'environment' | 'baseUrl'>,
  env: Terminal['env'],
): Pick<Connection, 'environment' | 'baseUrl'> => ({
  environment: environmentOf(flags, env),
  baseUrl: needed(flags.baseUrl ?? env.PAYMENTS_BASE_URL, '--base-url', 'PAYMENTS_BASE_URL'),
})

/** What is wrong, in the words of the command line. */
export const named = ({ option, message }: InvalidOption): string =>
  message.replace(option, NAMES[option] ?? option)

/** An empty variable is one that is not set. */
const set = (value: string | undefined): string | undefined => (value === '' ? undefined : value)

const needed = (value: string | undefined, option: string, variable: string): string => {
  if (value !== undefined && value !== '') return value
  throw new WrongUse(
    `${option} or ${variable} is needed (or --sandbox, to try it without an account)`,
  )
}

const isEnvironment = (text: string): text is Environment => ENVIRONMENTS.includes(text)

export const environmentOf = (
  flags: Pick<ConnectionFlags, 'environment'>,
  env: Terminal['env'],
): Environment => {
  const name = flags.environment ?? set(env.PAYMENTS_ENVIRONMENT) ?? 'production'
  if (isEnvironment(name)) return name
  throw new WrongUse(`PAYMENTS_ENVIRONMENT should be one of ${ENVIRONMENTS.join(', ')}`)
}
