/** The outcome of a run of `bench`: plain data, as `--json` writes it. */
import type { Environment } from '../api/limits.js'
import type { Millis } from '../stream/index.js'
import type { Workload } from './workload.js'

/** Reason why a run was not faster. `service`: its refusals, faults, or the time that it takes over an answer. */
export type BoundBy = 'quota' | 'concurrency' | 'width' | 'machine' | 'service'

/** Quantiles in ms, within 2 %; `null` where nothing was measured. */
export interface Percentiles {
  readonly p50: Millis | null
  readonly p95: Millis | null
  readonly p99: Millis | null
}

/** A part of the run. Differences between parts are its noise. */
export interface SubRun {
  readonly seconds: number
  readonly rowsPerSecond: number
  readonly requestsPerSecond: number
  /** `null` without rows. */
  readonly cpuSecondsPerMillionRows: number | null
}

/** A second of the run. */
export interface Second {
  readonly rows: number
  /** Requests that left. */
  readonly requests: number
  readonly refused: number
}

/** Counted at the door of the embedded sandbox, where every contender passes. */
export interface Arrivals {
  /** Without logins. */
  readonly requests: number
  /** Answered with 429. */
  readonly refused: number
  /** Rows of lists that were answered. */
  readonly rows: number
  /** Most requests that arrived in any second: of one endpoint, and of all. */
  readonly mostOfEndpoint: number
  readonly mostOfAll: number
}

/** Another program against the same sandbox, judged by its arrivals alone. */
export interface Contender {
  readonly name: string
  /** Duration from its first request on, in seconds. */
  readonly seconds: number
  readonly rowsPerSecond: number
  readonly requestsPerSecond: number
  /** Part of the ceiling that was let in. */
  readonly share: number
  readonly arrivals: Arrivals
  /** Why there are no figures, such as a package that is not installed. */
  readonly leftOut?: string
}

/** The width that would fill the quota. */
export interface BestWidth {
  readonly width: number
  /** `computed` from round trips (Little's law); `run` if the run, or a second one, had this width. */
  readonly by: 'computed' | 'run'
  /** Part of the ceiling that a run with it reached. */
  readonly share: number | null
}

/** A limit of requests a second, as configured, after the share. */
export interface Ceiling {
  readonly name: 'endpoint' | 'global'
  readonly perSecond: number
}

/** Counts of all requests that were sent, also before and after the measured time. */
export interface BenchTotals {
  /** Without logins. */
  readonly requests: number
  readonly logins: number
  readonly rows: number
  readonly seconds: number
}

/** The outcome of a run. */
export interface BenchResult {
  /** The workload of the run. */
  readonly workload: Workload
  /** The base URL, or `embedded sandbox`. */
  readonly target: string
  /** The environment whose limits were kept. */
  readonly environment: Environment
  /** ISO 8601. */
  readonly began: string
  /** Length of the measured time. */
  readonly seconds: number
  /** Rows read or written meanwhile. */
  readonly rows: number
  /** Requests that ended meanwhile, those that were refused included; without logins. */
  readonly requests: number
  /** `rows` by `seconds`. */
  readonly rowsPerSecond: number
  /** `requests` by `seconds`. */
  readonly requestsPerSecond: number
  /** The limit that binds this workload first. */
  readonly ceiling: Ceiling
  /** Part of the ceiling that was used: 0 to 1. */
  readonly share: number
  /** Reason why it was not faster. */
  readonly boundBy: BoundBy
  /** One sentence. */
  readonly verdict: string
  /** Requests refused for limits (429). */
  readonly refused: number
  /** Requests that were sent again. */
  readonly retries: number
  /** Calls that failed in the end. */
  readonly failed: number
  /** From a request to its complete answer. */
  readonly answer: Percentiles
  /** In the queue of the client, before a request leaves. */
  readonly wait: Percentiles
  /** Concurrent requests. */
  readonly width: number
  /** Concurrent requests that would do. */
  readonly bestWidth: BestWidth
  /** CPU of this process, without that of the sandbox; `null` without rows. */
  readonly cpuSecondsPerMillionRows: number | null
  /** Resident memory of the process at its highest, in bytes. */
  readonly peakMemory: number
  /** Up to six parts of the measured time. */
  readonly subRuns: ReadonlyArray<SubRun>
  /** Each second of the measured time. */
  readonly timeline: ReadonlyArray<Second>
  /** Answers by time: each bin from `from` on, in ms, to the next. */
  readonly answers: ReadonlyArray<{ readonly from: Millis; readonly count: number }>
  /** All that was sent, also in the first seconds. */
  readonly total: BenchTotals
  /** Only against the embedded sandbox. */
  readonly arrivals?: Arrivals
  /** Other programs, if any were asked for. */
  readonly contenders: ReadonlyArray<Contender>
  /** The machine that measured. */
  readonly machine: Machine
}

/** The machine that measured. */
export interface Machine {
  readonly cpu: string
  readonly cores: number
  readonly node: string
}
