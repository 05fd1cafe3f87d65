import { asyncScheduler, type SchedulerLike } from 'rxjs'
import type { Environment } from '../api/limits.js'
import type { ClientOptions } from '../client/ClientOptions.js'
import type { IO } from '../fp.js'
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
import type { Usage } from './measure.js'
import { WORKLOADS } from './workload.js'

// options

const sandboxTable = {
  /** The environment whose limits the sandbox enforces. Default `production`. */
  environment: is.oneOf<Environment>('production', 'test'),
  /** Time from request to response, in ms. Default 150. */
  latency: is.finiteMillis,
  /** Variation of the latency, in ms. Default 30. */
  jitter: is.finiteMillis,
  /** Number of charges. Default 2,000,000. */
  charges: is.int(0, 2 ** 31, '2^31'),
}

const optionsTable = {
  /** The requests to make: `read` (pages of charges), `mixed` (eight endpoints), `write` or `export`. Default `read`. */
  workload: withDefault(is.oneOf(...WORKLOADS), 'read'),
  /** Client options to measure your own environment. Default: an embedded sandbox in a separate process. */
  // the client checks each of them: here only that it is an object
  connection: is.object('an object of client options') as OptionRule<ClientOptions>,
  /** Options of the embedded sandbox. */
  sandbox: is.group<SandboxTable>(sandboxTable),
  /** Measuring time, in ms; at least 2,000. Default 30,000. */
  duration: withDefault({ ...is.int(2_000), expected: 'at least 2000 milliseconds' }, 30_000),
  /** Concurrent requests. Default: enough to use the full rate limit, based on measured round trips. */
  parallel: is.int(1, 100),
  /** Rows per page. Default 2,000. */
  pageSize: withDefault(is.int(10, 2_000), 2_000),
  /** Share of all limits to use, above 0 and at most 1. Default 1. */
  share: is.fraction,
  /** Allowance for network jitter, as in the client option. Default `learned`. */
  guard: guardRule,
  /** `true` allows the workload `write` against an environment that is not embedded. Default `false`. */
  write: withDefault(is.boolean, false),
  /** `true` also measures a fetch loop, p-queue and bottleneck if they are installed. Default `false`. */
  peers: withDefault(is.boolean, false),
  /** Another program to measure. It receives the address of the embedded sandbox in the `PAYMENTS_*` variables. */
  against: is.nonEmptyString,
  /** Returns the resources used so far: CPU, memory, and timer delays. Default: those of this process. */
  usage: is.fn<IO<Usage>>(),
  /** Clock and timers. Default: RxJS's `asyncScheduler`. */
  timer: withDefault(is.rxScheduler<SchedulerLike>(), asyncScheduler),
}

interface SandboxTable extends OptionsOf<typeof sandboxTable> {}

/** Options of `bench`. */
export interface BenchOptions extends OptionsOf<typeof optionsTable> {}

export type BenchSettings = Resolved<typeof optionsTable>

// checks

/** Checks options, and fills in defaults. Throws an `InvalidOption` for an invalid option. */
export const benchSettings = (options: BenchOptions): BenchSettings => {
  const settings = resolveOptions(options, optionsTable)
  const { workload, connection, write, peers, against } = settings
  if (connection === undefined) return settings
  if (peers) throw new InvalidOption('peers', `omitted: ${NO_LIMITS}`)
  if (against !== undefined) throw new InvalidOption('against', `omitted: ${NO_LIMITS}`)
  if (settings.sandbox !== undefined)
    throw new InvalidOption('sandbox', 'omitted, because connection is given')
  if (workload === 'write' && connection.environment !== 'test') {
    throw new InvalidOption(
      'workload',
      "'read', 'mixed' or 'export', because the write workload requires environment: 'test'",
    )
  }
  if (workload === 'write' && !write) {
    throw new InvalidOption(
      'write',
      'true, because the write workload creates and deletes draft batches',
    )
  }
  return settings
}

const NO_LIMITS = 'other programs would exceed the limits of a real account'
