import { asyncScheduler, type SchedulerLike } from 'rxjs'
import type { Environment } from '../api/limits.js'
import type { ClientOptions } from '../client/ClientOptions.js'
import {
  InvalidOption,
  is,
  type OptionRule,
  type OptionsOf,
  type Resolved,
  resolveOptions,
  withDefault,
} from '../options/index.js'
import { guardRule } from '../scheduler/limiters/RollingWindow.js'
import { WORKLOADS } from './workload.js'

// options

const sandboxTable = {
  /** The environment whose limits it enforces. Default `production`. */
  environment: is.oneOf<Environment>('production', 'sandbox'),
  /** From request to answer, in ms. Default 150. */
  latency: is.finiteMillis,
  /** How far the latency is spread, in ms. Default 30. */
  jitter: is.finiteMillis,
  /** How many charges there are. Default 2,000,000. */
  charges: is.int(0, 2 ** 31, '2^31'),
}

const optionsTable = {
  /** The requests to make: `read` (pages of charges), `mixed` (eight endpoints), `write` or `export`. Default `read`. */
  workload: withDefault(is.oneOf(...WORKLOADS), 'read'),
  /** Options of a client of your own environment. Default: an embedded sandbox, in a process of its own. */
  // the client checks each of them: here only that it is an object
  connection: is.object('options of a client') as OptionRule<ClientOptions>,
  /** Options of the embedded sandbox. */
  sandbox: is.group<SandboxTable>(sandboxTable),
  /** How long to measure, in ms, from 2,000 on. Default 30,000. */
  duration: withDefault({ ...is.int(2_000), expected: 'milliseconds of at least 2000' }, 30_000),
  /** Concurrent requests. Default: enough to use the full rate limit, by the measured round trips. */
  parallel: is.int(1, 100),
  /** Rows a page. Default 2,000. */
  pageSize: withDefault(is.int(10, 2_000), 2_000),
  /** Part of all limits to use, above 0 and up to 1. Default 1. */
  share: is.fraction,
  /** Room for the jitter of the network, as of a client. Default `learned`. */
  guard: guardRule,
  /** `true` lets the workload `write` go to an environment that is not embedded. Default `false`. */
  write: withDefault(is.boolean, false),
  /** `true` also measures a fetch loop, p-queue and bottleneck, where they are installed. Default `false`. */
  peers: withDefault(is.boolean, false),
  /** A program that is measured, too: it finds the embedded sandbox in the variables `PAYMENTS_*`. */
  against: is.nonEmptyString,
  /** Clock and timers. Default: RxJS's `asyncScheduler`. */
  timer: withDefault(is.rxScheduler<SchedulerLike>(), asyncScheduler),
}

interface SandboxTable extends OptionsOf<typeof sandboxTable> {}

/** Options of `bench`. */
export interface BenchOptions extends OptionsOf<typeof optionsTable> {}

export type BenchSettings = Resolved<typeof optionsTable>

// checks

/** Checks options, and fills in defaults. Throws an `InvalidOption`. */
export const benchSettings = (options: BenchOptions): BenchSettings => {
  const settings = resolveOptions(options, optionsTable)
  const { workload, connection, write, peers, against } = settings
  if (connection === undefined) return settings
  if (peers) throw new InvalidOption('peers', `left out: ${NO_LIMITS}`)
  if (against !== undefined) throw new InvalidOption('against', `left out: ${NO_LIMITS}`)
  if (settings.sandbox !== undefined)
    throw new InvalidOption('sandbox', 'left out: there is a connection')
  if (workload === 'write' && connection.environment !== 'sandbox') {
    throw new InvalidOption('workload', "'read', 'mixed' or 'export': only a sandbox is written to")
  }
  if (workload === 'write' && !write) {
    throw new InvalidOption(
      'write',
      'true, for a run that makes drafts of batches and deletes them',
    )
  }
  return settings
}

const NO_LIMITS = 'other programs would go beyond the limits of a real account'
