/** Flags of `sync`. */
import { type Command, Option } from 'commander'
import type { Sweep } from '../../export/sync/SyncOptions.js'
import type { IO } from '../../fp.js'
import {
  dryRunOption,
  leaseOption,
  lookbackOption,
  type PaceFlags,
  parallelOption,
  type SimulationFlags,
} from '../commonOptions.js'
import type { ConnectionFlags, PartnerFlags } from '../connection.js'
import type { ExportFlags } from '../export/exportFlags.js'
import { integer, nonEmpty, nonNegativeInteger, timeSpan, timestamp } from '../optionParsers.js'
import type { ViewFlags } from '../progress/ProgressView.js'

// model

export interface SyncFlags
  extends ConnectionFlags,
    PartnerFlags,
    PaceFlags,
    SimulationFlags,
    ViewFlags,
    Pick<ExportFlags, 'report' | 'lookback' | 'deadline' | 'lease' | 'parallel' | 'dryRun'> {
  readonly table?: string
  readonly format?: 'ndjson' | 'parquet'
  readonly adopt?: boolean
  readonly since?: string
  readonly sweep?: Sweep
  readonly maxRejects?: number
  readonly allowEmpty?: boolean
  readonly replaceNul?: boolean
  readonly batch?: string
  readonly pageSize?: number
}

// options

/** Options of lists by time. */
export const withTimes = (command: Command, now: IO<number>): Command =>
  command
    .option(
      '--since <time>',
      'charges created at or after this time, such as 30d (ago) [that of the first run; all]',
      timestamp('00:00:00', now),
    )
    .addOption(lookbackOption())
    .addOption(
      new Option(
        '--sweep <how>',
        'read existing charges again: a thirtieth each night, all of them now, or none [30d]',
      ).choices(['30d', 'now', 'off']),
    )
    .addOption(parallelOption())
    .option('--page-size <n>', 'charges per request, 10 to 2000', integer(10, 2_000), 2_000)

/** Options of every list. */
export const withDestination = (command: Command): Command =>
  command
    .argument(
      '<dest>',
      'NAME.sqlite, NAME.db, postgres://HOST/DATABASE, FOLDER/ or s3://BUCKET/PREFIX/',
      nonEmpty,
    )
    .addOption(
      new Option('--format <name>', 'folders and buckets: file format [ndjson]').choices([
        'ndjson',
        'parquet',
      ]),
    )
    .option(
      '--max-rejects <n>',
      'stop when more rows than this cannot be written [1000]',
      nonNegativeInteger,
    )
    .option(
      '--allow-empty',
      'lists replaced completely: let an empty one remove the rows that are there',
    )
    .option(
      '--replace-nul',
      'Postgres: write U+0000, which it cannot store, as U+FFFD instead of rejecting the row',
    )
    .addOption(leaseOption())
    .option(
      '--deadline <time>',
      'stop after this time; the same command continues [never]',
      timeSpan,
    )
    .addOption(dryRunOption().conflicts('report'))

/** Options of a single list. */
export const withPlace = (command: Command): Command =>
  command
    .option('--table <name>', 'databases: name of the table [name of the list]', nonEmpty)
    .option(
      '--adopt',
      'folders and buckets: take over the output of export --since-last or of an earlier version; keep only the latest version of each row',
    )
