/** Connection settings. Each setting is a flag, an environment variable, and an option of the client. */
import { type Command, Option } from 'commander'
import { defer, map, Observable, of } from 'rxjs'
import { type Environment, limits } from '../api/limits.js'
import {
  type Connection,
  notSet,
  readEnvironment,
  readVariables,
  VARIABLES,
  type VariableOption,
} from '../client/fromEnv.js'
import { R, withoutUndefined } from '../fp.js'
import { InvalidOption } from '../options/index.js'
import type { SandboxOptions } from '../sandbox/index.js'
import { withEnvFile, withKeyFile } from './envFile.js'
import { GROUP } from './help.js'
import { nonEmpty } from './optionParsers.js'
import { UsageError } from './output.js'
import type { Terminal } from './Terminal.js'

export type { Connection } from '../client/fromEnv.js'

// settings

interface Setting {
  readonly flag: string
  /** Placeholder of the value; absent for a boolean flag. */
  readonly placeholder?: string
  readonly description: string
  readonly clientOption: VariableOption
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

/** Settings by commander's names for their flags, in the order in which "doctor" shows them. */
export const SETTINGS: Readonly<Record<SettingName, Setting>> = {
  baseUrl: {
    flag: '--base-url',
    placeholder: '<url>',
    description: 'base URL of the platform',
    clientOption: 'baseUrl',
  },
  plainHttp: {
    flag: '--plain-http',
    description: 'allow HTTP to another machine; keys and data travel unencrypted',
    clientOption: 'plainHttp',
  },
  clientId: {
    flag: '--client-id',
    placeholder: '<id>',
    description: 'client id that belongs to the API key',
    clientOption: 'credentials.clientId',
  },
  apiKey: {
    flag: '--api-key',
    placeholder: '<key>',
    description: 'API key; PAYMENTS_API_KEY_FILE may name a file that contains it',
    clientOption: 'credentials.apiKey',
    isSecret: true,
  },
  environment: {
    flag: '--environment',
    placeholder: '<name>',
    description: 'whose rate limits to respect',
    clientOption: 'environment',
    defaultValue: 'production',
  },
  apiVersion: {
    flag: '--api-version',
    placeholder: '<date>',
    description: "API version to request, YYYY-MM-DD; by default the account's version",
    clientOption: 'apiVersion',
  },
  loginAs: {
    flag: '--login-as',
    placeholder: '<id>',
    description: 'account to log in to, if the key has access to several',
    clientOption: 'credentials.loginAs',
  },
  onBehalfOf: {
    flag: '--on-behalf-of',
    placeholder: '<id>',
    description: 'connected account to act for',
    clientOption: 'onBehalfOf',
  },
  partnerId: {
    flag: '--partner-id',
    placeholder: '<id>',
    description: 'client id of the OAuth application',
    clientOption: 'partner.clientId',
  },
  partnerSecret: {
    flag: '--partner-secret',
    placeholder: '<secret>',
    description: 'client secret of the OAuth application',
    clientOption: 'partner.clientSecret',
    isSecret: true,
  },
}

const SETTING_NAMES = R.keys(SETTINGS)

const VISIBLE_TO_OTHERS = 'other users of this machine can see command lines: prefer the variable'

export const variableOf = (name: SettingName): string => VARIABLES[SETTINGS[name].clientOption].name

const settingOption = (name: SettingName): Option => {
  const { flag, placeholder, description, defaultValue, isSecret } = SETTINGS[name]
  const otherwise = defaultValue === undefined ? '' : `, ${defaultValue}`
  const warning = isSecret === true ? `; ${VISIBLE_TO_OTHERS}` : ''
  const option = new Option(
    placeholder === undefined ? flag : `${flag} ${placeholder}`,
    `${description} [${variableOf(name)}${otherwise}]${warning}`,
  )
  if (placeholder === undefined) return option
  return name === 'environment' ? option.choices(ENVIRONMENTS) : option.argParser(nonEmpty)
}

const flagOrVariable = ({ flag, clientOption }: Setting): string =>
  `${flag} or ${VARIABLES[clientOption].name}`

/** Returns the flag of an option: `--max-rejects` for `maxRejects`. */
export const flagOf = (option: string): string =>
  `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Replaces the names of library options in a message with flags and variables. */
export const withFlagNames = (
  { option, message }: InvalidOption,
  flags: ReadonlyArray<Option> = [],
): string => {
  const setting = Object.values(SETTINGS).find(({ clientOption }) => clientOption === option)
  if (setting !== undefined) {
    return message
      .replace(option, flagOrVariable(setting))
      .replace('with plainHttp', `with ${SETTINGS.plainHttp.flag}`)
  }
  if (option === 'to') return message.replace(option, 'DEST')
  const name = option.replace(/\[\d+\]$/, '') // one of several entries
  const isFlag = flags.some((flag) => flag.attributeName() === name)
  return isFlag ? message.replace(option, flagOf(name)) : message
}

// connections

type TextSetting = Exclude<SettingName, 'plainHttp'>

type SettingFlags = { readonly [Name in TextSetting]?: string } & {
  readonly plainHttp?: true
  readonly envFile?: string
}

export type ConnectionFlags = Omit<SettingFlags, 'partnerId' | 'partnerSecret'>

export type PartnerFlags = Pick<
  SettingFlags,
  'environment' | 'baseUrl' | 'plainHttp' | 'partnerId' | 'partnerSecret' | 'envFile'
>

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

/** Adds the options of account and partner settings. */
export const addEveryOption = (command: Command): Command =>
  addSettings(
    command,
    'apiVersion',
    'clientId',
    'apiKey',
    'loginAs',
    'onBehalfOf',
    'partnerId',
    'partnerSecret',
  )

const addSettings = (command: Command, ...others: ReadonlyArray<SettingName>): Command => {
  const names: ReadonlyArray<SettingName> = ['environment', 'baseUrl', 'plainHttp', ...others]
  return names.reduce(
    (to, name) => to.addOption(settingOption(name)),
    command
      .optionsGroup(GROUP.connection)
      .option(
        '--env-file <file>',
        'read all of these settings from FILE, as NAME=value lines',
        nonEmpty,
      ),
  )
}

/** Returns the connection. Throws a `UsageError` that names the flags and variables of all missing settings. */
export const connectionFrom = (flags: ConnectionFlags, env: Terminal['env']): Connection => {
  const { partner: _, ...connection } = connectionWith(flags, env, REQUIRED_SETTINGS)
  return connection
}

/** Returns the connection of a partner. Throws the same `UsageError` as `connectionFrom`. */
export const partnerConnectionFrom = (flags: PartnerFlags, env: Terminal['env']): Connection => {
  const { environment, baseUrl, plainHttp, partner } = connectionWith(
    flags,
    env,
    REQUIRED_PARTNER_SETTINGS,
  )
  return { environment, baseUrl, ...withoutUndefined({ plainHttp, partner }) }
}

export const environmentFrom = (
  flags: Pick<SettingFlags, 'environment'>,
  env: Terminal['env'],
): Environment => asUsage(() => readEnvironment(withFlags(flags, env)))

const connectionWith = (
  flags: SettingFlags,
  env: Terminal['env'],
  required: ReadonlyArray<SettingName>,
): Connection => {
  const settings = settingsOf(flags, env)
  const connection = asUsage(() => readVariables(settings))
  const missing = required.filter(
    (name) => notSet(settings, [SETTINGS[name].clientOption]).length > 0,
  )
  if (missing.length === 0) return connection
  const needed = missing.map((name) => `${flagOrVariable(SETTINGS[name])} is required`)
  throw new UsageError(`${needed.join(', ')} (or use --sandbox to try it without an account)`)
}

/** Returns the settings as variables, read from files and overridden by flags. Throws a `UsageError` for an unusable file. */
export const settingsOf = (flags: SettingFlags, env: Terminal['env']): Terminal['env'] => {
  const { envFile, apiKey } = flags
  const variables = envFile === undefined ? env : withEnvFile(envFile, env)
  return withFlags(flags, apiKey === undefined ? withKeyFile(variables) : variables)
}

/** Replaces variables with the given flags, which take precedence. */
const withFlags = (flags: SettingFlags, env: Terminal['env']): Terminal['env'] => ({
  ...env,
  ...Object.fromEntries(
    SETTING_NAMES.flatMap((name) => {
      const flag = flags[name]
      return flag === undefined ? [] : [[variableOf(name), flag === true ? '1' : flag]]
    }),
  ),
})

const asUsage = <A>(read: () => A): A => {
  try {
    return read()
  } catch (error) {
    throw error instanceof InvalidOption ? new UsageError(error.message) : error
  }
}

// sandbox

/** Creates `--sandbox`, which replaces every setting except the environment and the connected account. */
export const sandboxOption = (description: string): Option => {
  const { environment: _, onBehalfOf: __, ...others } = SETTINGS
  return new Option('--sandbox', description)
    .helpGroup(GROUP.connection)
    .conflicts([...Object.keys(others), 'envFile'])
}

/** Account name of every sandbox that a command starts, because the port differs each time. */
export const SANDBOX_ACCOUNT = 'the sandbox of this package'

/** How a command connects: the settings that it needs, or the data of its sandbox. */
interface ConnectOptions<Flags> {
  /** Returns the connection. Default: `connectionFrom`. */
  readonly connection: (flags: Flags, env: Terminal['env']) => Connection
  readonly simulated?: SandboxOptions
}

/** Emits the connection given by flags and variables. With `--sandbox`, emits a connection to a new sandbox. */
export const connect = <
  Flags extends Pick<SettingFlags, 'environment' | 'onBehalfOf'> & {
    readonly sandbox?: boolean
    readonly rows?: number
    readonly limits?: boolean
  },
>(
  { env, timer }: Terminal,
  flags: Flags,
  { connection, simulated = {} }: ConnectOptions<Flags>,
): Observable<Connection> =>
  defer(() => {
    if (flags.sandbox === true) {
      const limits = flags.limits === false ? { limits: false as const } : {}
      const { onBehalfOf } = flags
      return openSandbox({
        ...simulated,
        ...limits,
        timer,
        environment: environmentFrom(flags, env),
      }).pipe(map((connection) => ({ ...connection, ...withoutUndefined({ onBehalfOf }) })))
    }
    if (flags.rows !== undefined) throw new UsageError('--rows requires --sandbox')
    return of(connection(flags, env))
  })

/** Emits a connection to a sandbox on a free port. The sandbox is closed on unsubscription. */
export const openSandbox = (
  options: SandboxOptions & { readonly environment: Environment },
): Observable<Connection> =>
  new Observable((subscriber) => {
    const opening = import('../sandbox/index.js').then(async (sandbox) => {
      const server = await sandbox.listen(options)
      subscriber.next({
        environment: options.environment,
        baseUrl: server.url,
        credentials: sandbox.sandboxCredentials,
        partner: sandbox.sandboxPartner,
      })
      return server
    })
    opening.catch((error: unknown) => subscriber.error(error))
    return () =>
      void opening.then(
        (server) => server.close(),
        () => {},
      )
  })
