/** `tap`: the lists of an account as a Singer tap, for Meltano and any Singer target. */

import { readFile } from 'node:fs/promises'
import { Command } from 'commander'
import { defer, map, type Observable, of, switchMap } from 'rxjs'
import type { Client } from '../client/createClient.js'
import { BatchItem } from '../codec/BatchItem.js'
import { Time } from '../codec/times.js'
import { escapeInvisible } from '../decode/redact.js'
import { fieldsOf } from '../decode/unknown.js'
import type { ExportError } from '../export/index.js'
import { type Bookmarks, readState } from '../export/singer/state.js'
import { catalogEntry, type TapStream, type TapSummary, tap } from '../export/singer/tap.js'
import { E, withoutUndefined } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import { DAY, plural } from '../report/text.js'
import { isSystemError } from '../store/FileSystem.js'
import { noLimitsOption, type SimulationFlags, withSandbox } from './commonOptions.js'
import { type Connection, connect, connectionFrom } from './connection.js'
import { exportClient } from './export/exportClient.js'
import { charges } from './export/resources.js'
import { nonEmpty } from './optionParsers.js'
import {
  type CommandContext,
  EXIT_BY_SIGNAL,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  EXIT_USAGE,
  UsageError,
} from './output.js'
import { type CommandRun, type Ending, runCommand } from './runCommand.js'
import type { Terminal } from './Terminal.js'

interface TapFlags extends SimulationFlags {
  readonly config?: string
  readonly state?: string
  readonly catalog?: string
  readonly discover: boolean
  readonly limits: boolean
}

const HELP = `
Settings that are missing in the config are read from the variables of
"payments-rx export charges --help":
  base_url, client_id, api_key, environment, api_version, login_as, on_behalf_of
  start_date     charges created at or after this time [all]
  lookback_days  how far back charges may have changed, in days [7]
  partner_client_id, partner_client_secret
                 add the stream partner_webhooks

Streams: charges (incremental by created_at), batch_transfers, batch_items,
webhooks (read whole each time).

Exit status:
  0    all records were written, and the last line is their STATE
  1    incomplete: the reason is on stderr; the next run continues at the last
       STATE
  2    wrong use: nothing was written
  130  stopped by Ctrl-C (143 by SIGTERM): the next run continues at the last STATE
  141  the target closed its input

Examples:
  payments-rx tap --config config.json --discover > catalog.json
  payments-rx tap --config config.json --catalog catalog.json --state state.json | target-postgres
  payments-rx tap --sandbox --rows 10000`

export const tapCommand = (context: CommandContext): Command =>
  withSandbox(
    new Command('tap')
      .description(
        'Write lists as Singer messages: SCHEMA, RECORD and STATE, for Meltano and any Singer target.',
      )
      .option('--config <file>', 'file with settings, a JSON object', nonEmpty)
      .option('--state <file>', 'file with the last STATE of an earlier run', nonEmpty)
      .option('--catalog <file>', 'file with the streams and fields to read [all]', nonEmpty)
      .option('--discover', 'print the catalog and exit', false),
    charges.simulated,
  )
    .addOption(noLimitsOption())
    .addHelpText('after', HELP)
    .action((flags: TapFlags) => runCommand(context, {}, { run: (run) => runTap(run, flags) }))

const runTap = (run: CommandRun, flags: TapFlags): Observable<Ending> =>
  defer(() => readJson('--config', flags.config)).pipe(
    map(configFrom),
    switchMap((config) => {
      const connection = (_: unknown, env: Terminal['env']) => connectionOf(config, env)
      const simulated = { charges: flags.rows ?? 100_000, batches: 10 }
      return connect(run.terminal, { ...config.flags, ...flags }, { connection, simulated }).pipe(
        switchMap((connection) => tapLists(run, flags, config, connection)),
      )
    }),
  )

const tapLists = (
  { terminal, output }: CommandRun,
  flags: TapFlags,
  config: Config,
  connection: Connection,
): Observable<Ending> => {
  const client = exportClient(terminal, { ...CLIENT_FLAGS, limits: flags.limits }, connection)
  const streams = streamsOf(client, config, connection.partner !== undefined)
  if (flags.discover) {
    const catalog = { streams: streams.map(catalogEntry) }
    return of({ status: EXIT_COMPLETE, summary: JSON.stringify(catalog, undefined, 2) })
  }
  return defer(async () => ({
    selected: selectStreams(streams, await readJson('--catalog', flags.catalog)),
    bookmarks: bookmarksFrom(await readJson('--state', flags.state)),
  })).pipe(
    switchMap(({ selected, bookmarks }) =>
      tap(selected, {
        bookmarks,
        lookback: (config.lookbackDays ?? LOOKBACK_DAYS) * DAY,
        timer: terminal.timer,
        write: writeTo(terminal.stdout),
        onReject: (stream, reason) => output.complain(`a row of ${stream} is left out: ${reason}`),
      }),
    ),
    map(endingOf),
  )
}

const endingOf = (result: E.Either<AnyFailure | ExportError, TapSummary>): Ending => {
  if (E.isLeft(result)) {
    const { left } = result
    if (left._tag === 'WriteFailed' && left.code === 'EPIPE') {
      return { status: EXIT_BY_SIGNAL.SIGPIPE }
    }
    const status = left._tag === 'SpecMismatch' ? EXIT_USAGE : EXIT_INCOMPLETE
    return { status, reason: left.message }
  }
  const { records, rejected } = result.right
  const also = rejected === 0 ? '' : `, ${plural(rejected, 'row')} left out`
  return {
    status: rejected === 0 ? EXIT_COMPLETE : EXIT_INCOMPLETE,
    reason: `${plural(records, 'record')}${also}`,
  }
}

/** As an export without flags has them. */
const CLIENT_FLAGS = { share: 1, patience: 300, exact: false }

const LOOKBACK_DAYS = 7

// settings

interface Config {
  /** Flags of a connection, by the names that commander gives them. */
  readonly flags: Readonly<Record<string, string>>
  readonly startDate?: string
  readonly lookbackDays?: number
}

const SETTINGS: Readonly<Record<string, string>> = {
  base_url: 'baseUrl',
  client_id: 'clientId',
  api_key: 'apiKey',
  environment: 'environment',
  api_version: 'apiVersion',
  login_as: 'loginAs',
  on_behalf_of: 'onBehalfOf',
  partner_client_id: 'partnerId',
  partner_client_secret: 'partnerSecret',
}

/** Throws a `UsageError` that names the setting; its value is not repeated, since it may be a key. */
const configFrom = (json: unknown): Config => {
  const flags: Record<string, string> = {}
  let rest: Omit<Config, 'flags'> = {}
  for (const [name, value] of Object.entries(fieldsOf(json))) {
    const flag = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined
    if (flag !== undefined) {
      if (typeof value !== 'string' || value === '')
        throw wrongSetting(name, 'text that is not empty')
      flags[flag] = value
    } else if (name === 'start_date') {
      if (typeof value !== 'string' || !Time.is(value)) {
        throw wrongSetting(name, 'an ISO 8601 time, such as 2026-01-31T12:00:00Z, or a date')
      }
      rest = { ...rest, startDate: value }
    } else if (name === 'lookback_days') {
      if (typeof value !== 'number' || !(value >= 0 && value <= 36_500)) {
        throw wrongSetting(name, 'a number of days from 0')
      }
      rest = { ...rest, lookbackDays: value }
    } else {
      throw new UsageError(
        `--config has no setting ${JSON.stringify(name)}: see payments-rx tap --help`,
      )
    }
  }
  return { flags, ...rest }
}

const wrongSetting = (name: string, expected: string): UsageError =>
  new UsageError(`${name} of --config should be ${expected}`)

const connectionOf = ({ flags }: Config, env: Terminal['env']): Connection => {
  const { partnerId, partnerSecret, ...account } = flags
  const partner =
    partnerId === undefined || partnerSecret === undefined
      ? undefined
      : { clientId: partnerId, clientSecret: partnerSecret }
  return { ...connectionFrom(account, env), ...withoutUndefined({ partner }) }
}

/** Returns the parsed file; undefined without one. Throws a `UsageError` that does not repeat the content. */
const readJson = async (flag: string, path: string | undefined): Promise<unknown> => {
  if (path === undefined) return undefined
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (!isSystemError(error)) throw error
    throw new UsageError(`${flag}: cannot read ${path}: ${error.code}`)
  })
  if (text.trim() === '' && flag === '--state') return undefined // of a runner that has no state yet
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json
  } catch {
    // said below, without a piece of the text: it may be a key
  }
  throw new UsageError(`${flag}: ${path} should be a JSON object`)
}

const bookmarksFrom = (json: unknown): Bookmarks => {
  const state = readState(json ?? {})
  if (E.isLeft(state)) throw new UsageError(`--state: ${state.left}`)
  return state.right
}

// streams

const streamsOf = (
  { charges, batchTransfers, webhooks, partnerWebhooks }: Client,
  { startDate }: Config,
  hasPartner: boolean,
): ReadonlyArray<TapStream> => [
  {
    name: 'charges',
    source: charges.snapshot(withoutUndefined({ from_created_at: startDate })).parallel(),
  },
  { name: 'batch_transfers', source: batchTransfers.list() },
  {
    name: 'batch_items',
    source: batchTransfers.list(),
    children: {
      of: (batch) => batchTransfers.items({ id: String(fieldsOf(batch).id) }),
      codec: BatchItem,
      parentKey: 'batch_transfer_id',
    },
  },
  { name: 'webhooks', source: webhooks.list() },
  ...(hasPartner
    ? [{ name: 'partner_webhooks', source: partnerWebhooks.list(), untilStable: true }]
    : []),
]

/** Returns the streams and fields that a catalog selects; all without a catalog. */
const selectStreams = (
  streams: ReadonlyArray<TapStream>,
  catalog: unknown,
): ReadonlyArray<TapStream> => {
  if (catalog === undefined) return streams
  const entries: unknown = fieldsOf(catalog).streams
  if (!Array.isArray(entries)) throw new UsageError('--catalog should have a list of streams')
  const selected = entries.flatMap((entry: unknown): ReadonlyArray<TapStream> => {
    const { tap_stream_id: id, metadata, schema, replication_method } = fieldsOf(entry)
    const rows = (Array.isArray(metadata) ? metadata : []).map(fieldsOf)
    const root = rows.find(({ breadcrumb }) => pathOf(breadcrumb).length === 0)
    const isSelected = fieldsOf(root?.metadata).selected ?? fieldsOf(schema).selected
    if (isSelected !== true) return []
    const stream = streams.find(({ name }) => name === id)
    if (stream === undefined) {
      const names = streams.map(({ name }) => name).join(', ')
      throw new UsageError(`--catalog selects a stream that is none of ${names}`)
    }
    const method = replication_method ?? fieldsOf(root?.metadata)['replication-method']
    if (method !== undefined && !METHODS.includes(String(method))) {
      throw new UsageError(
        `--catalog asks for a replication_method of ${stream.name} that is none of ${METHODS.join(', ')}`,
      )
    }
    const without = rows.flatMap(({ breadcrumb, metadata }) => {
      const [, field] = pathOf(breadcrumb)
      const { selected, inclusion } = fieldsOf(metadata)
      return typeof field === 'string' && selected === false && inclusion !== 'automatic'
        ? [field]
        : []
    })
    const isFullTable = method === 'FULL_TABLE'
    return [{ ...stream, isFullTable, without: new Set(without) }]
  })
  if (selected.length > 0) return selected
  throw new UsageError('--catalog selects no stream: set "selected": true in the metadata of one')
}

/** A stream without times of creation is read whole, whatever is asked for. */
const METHODS: ReadonlyArray<string> = ['FULL_TABLE', 'INCREMENTAL']

const pathOf = (breadcrumb: unknown): ReadonlyArray<unknown> =>
  Array.isArray(breadcrumb) ? breadcrumb : []

/** Resolves once stdout has taken the text; rejects if its reader is gone. */
const writeTo =
  (stdout: Terminal['stdout']) =>
  (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      stdout.write(escapeInvisible(text), (error) => (error ? reject(error) : resolve()))
    })
