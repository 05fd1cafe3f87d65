/** Flags of `sync`. */
import { type Command, Option } from 'commander'
import type { Sweep } from '../../export/sync/SyncOptions.js'
import type { IO } from '../../fp.js'
import {
  allowGoneOption,
  dryRunOption,
  leaseOption,
  type PaceFlags,
  parallelOption,
  type SimulationFlags,
} from '../commonOptions.js'
import type { ConnectionFlags, PartnerFlags } from '../connection.js'
import type { ExportFlags } from '../export/exportFlags.js'
import { GROUP } from '../help.js'
import { integer, nonEmpty, nonNegativeInteger, timeSpan, timestamp } from '../optionParsers.js'
import type { ViewFlags } from '../progress/ProgressView.js'

export interface SyncFlags
  extends ConnectionFlags,
    PartnerFlags,
    PaceFlags,
    SimulationFlags,
    ViewFlags,
    Pick<ExportFlags, 'deadline' | 'lease' | 'parallel' | 'dryRun'> {
  readonly table?: string
  readonly format?: 'ndjson' | 'parquet'
  readonly since?: string
  /** Lookback, in ms. */
  readonly lookback?: number
  readonly sweep?: Sweep
  readonly maxRejects?: number
  readonly allowEmpty?: boolean
  readonly allowGone?: number
  readonly replaceNul?: boolean
  readonly batch?: string
  readonly pageSize?: number
  readonly exact?: boolean
}

// options

/** Adds the options that lists by time have. */
export const withTimes = (command: Command, now: IO<number>): Command =>
  command
    .optionsGroup(GROUP.filters)
    .option(
      '--since <time>',
      'created at or after, such as 30d (ago) [everything; later runs default to the first run’s value]',
      timestamp('00:00:00', now),
    )
    .option('--lookback <time>', 'how far back to look for changed charges [7d]', timeSpan)
    .addOption(
      new Option(
        '--sweep <how>',
        're-read all charges: a thirtieth each night (30d), all at once (now), or never (off) [30d]',
      ).choices(['30d', 'now', 'off']),
    )
    .addOption(parallelOption())
    .optionsGroup(GROUP.speed)
    .option('--page-size <n>', 'charges per request, 10 to 2000', integer(10, 2_000), 2_000)

/** Adds the options that every list has. */
export const withDestination = (command: Command): Command =>
  command
    .argument(
      '<dest>',
      'NAME.sqlite, NAME.db, postgres://HOST/DATABASE, FOLDER/ or s3://BUCKET/PREFIX/',
      nonEmpty,
    )
    .optionsGroup(GROUP.output)
    .addOption(
      new Option('--format <name>', 'folders and buckets: ndjson or parquet [ndjson]').choices([
        'ndjson',
        'parquet',
      ]),
    )
    .option('--exact', 'keep every digit of numbers; 8 times slower')
    .option(
      '--max-rejects <n>',
      'stop when more rows than this are rejected [1000]',
      nonNegativeInteger,
    )
    .option(
      '--allow-empty',
      'lists that are fully replaced: let an empty list delete all existing rows',
    )
    .addOption(allowGoneOption())
    .option(
      '--replace-nul',
      'Postgres: store U+0000, which it does not support, as U+FFFD instead of rejecting the row',
    )
    .addOption(dryRunOption())
    .optionsGroup(GROUP.resume)
    .option(
      '--deadline <time>',
      'stop after this long, such as 6h; rerun the same command to continue [never]',
      timeSpan,
    )
    .addOption(leaseOption())

/** Adds the options for a single list. */
export const withPlace = (command: Command): Command =>
  command
    .optionsGroup(GROUP.output)
    .option('--table <name>', 'databases: name of the table [name of the list]', nonEmpty)
