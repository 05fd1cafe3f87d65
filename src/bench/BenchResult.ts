/** Result of `bench`: plain data, as written by `--json`. */
import type { Environment } from '../api/limits.js'
import type { Millis } from '../stream/index.js'
import type { Workload } from './workload.js'

/**
 * The limiting factor of a run. `quota`: requests waited for the rate limit. `concurrency`: more concurrent requests were
 * faster. `machine`: the process or the machine is busy. `service`: more concurrent requests were not faster, or the service
 * refuses or fails requests. `unclear`: none of these was observed.
 */
export type BoundBy = 'quota' | 'concurrency' | 'machine' | 'service' | 'unclear'

/** Quantiles in ms, accurate to 2 %; `null` if nothing was measured. */
export interface Percentiles {
  /** The median. */
  readonly p50: Millis | null
  /** 95 % took at most this long. */
  readonly p95: Millis | null
  /** 99 % took at most this long. */
  readonly p99: Millis | null
}

/** A part of the run. Differences between parts show the noise. */
export interface SubRun {
  /** Length of the part, in seconds. */
  readonly seconds: number
  /** Rows per second in this part. */
  readonly rowsPerSecond: number
  /** Requests per second in this part. */
  readonly requestsPerSecond: number
  /** CPU seconds per million rows; `null` without rows. */
  readonly cpuSecondsPerMillionRows: number | null
}

/** A second of the run. */
export interface BenchSecond {
  /** Rows read or written in this second. */
  readonly rows: number
  /** Requests sent in this second. */
  readonly requests: number
  /** Requests refused because of limits (429). */
  readonly refused: number
}

/** Requests as counted by the embedded sandbox on arrival, in the same way for every program. */
export interface Arrivals {
  /** Number of requests, excluding logins. */
  readonly requests: number
  /** Number of requests answered with 429. */
  readonly refused: number
  /** Number of rows returned by lists. */
  readonly rows: number
  /** Maximum number of requests of one endpoint that arrived within a second. */
  readonly mostOfEndpoint: number
  /** Maximum number of requests of all endpoints that arrived within a second. */
  readonly mostOfAll: number
}

/** Another program that ran against the same sandbox, measured only by its arrivals. */
export interface BenchPeer {
  /** Name of the program in the report. */
  readonly name: string
  /** Time since its first request, in seconds. */
  readonly seconds: number
  /** Rows received per second. */
  readonly rowsPerSecond: number
  /** Requests admitted per second. */
  readonly requestsPerSecond: number
  /** Admitted share of the ceiling. */
  readonly share: number
  /** Its requests, as counted by the sandbox. */
  readonly arrivals: Arrivals
  /** Why there are no figures, for example because a package is not installed. */
  readonly leftOut?: string
}

/** The lowest number of concurrent requests that is enough. */
export interface BestConcurrency {
  /** Concurrent requests. */
  readonly width: number
  /** `computed`: estimated from round trips (Little's law); `run`: used by the run, or by its last part. */
  readonly by: 'computed' | 'run'
  /** Share of the ceiling that a run with this concurrency reached. */
  readonly share: number | null
}

/** A configured limit in requests per second, after applying the share. */
export interface Ceiling {
  /** The limit of one endpoint, or of all. */
  readonly name: 'endpoint' | 'global'
  /** Requests per second. */
  readonly perSecond: number
}

/** Counts for the whole run, including the time before and after the measurement. */
export interface BenchTotals {
  /** Number of requests, excluding logins. */
  readonly requests: number
  /** Logins sent. */
  readonly logins: number
  /** Rows read or written. */
  readonly rows: number
  /** Length of the whole run. */
  readonly seconds: number
}

/** Result of a run. */
export interface BenchResult {
  /** The workload of the run. */
  readonly workload: Workload
  /** The base URL, or `embedded sandbox`. */
  readonly target: string
  /** The environment whose limits were used. */
  readonly environment: Environment
  /** Start time, as ISO 8601. */
  readonly began: string
  /** Length of the measured time, in seconds. */
  readonly seconds: number
  /** Rows read or written in the measured time. */
  readonly rows: number
  /** Requests that ended in the measured time, including refused ones, but not logins. */
  readonly requests: number
  /** `rows` divided by `seconds`. */
  readonly rowsPerSecond: number
  /** `requests` divided by `seconds`. */
  readonly requestsPerSecond: number
  /** The limit that this workload reaches first. */
  readonly ceiling: Ceiling
  /** Share of the ceiling that was used: 0 to 1. */
  readonly share: number
  /** The limiting factor. */
  readonly boundBy: BoundBy
  /** The verdict in one sentence. */
  readonly verdict: string
  /** Requests refused because of limits (429). */
  readonly refused: number
  /** Retried requests. */
  readonly retries: number
  /** Calls that finally failed. */
  readonly failed: number
  /** Time from a request to its complete response. */
  readonly answer: Percentiles
  /** Time in the queue of the client before a request is sent. */
  readonly wait: Percentiles
  /** Concurrent requests; their mean if the number was automatic. */
  readonly width: number
  /** The lowest number of concurrent requests that is enough. */
  readonly bestWidth: BestConcurrency
  /** CPU time of this process, excluding the sandbox; `null` without rows. */
  readonly cpuSecondsPerMillionRows: number | null
  /** Peak resident memory of the process, in bytes. */
  readonly peakMemory: number
  /** Up to six parts of the measured time. */
  readonly subRuns: ReadonlyArray<SubRun>
  /** Each second of the measured time. */
  readonly timeline: ReadonlyArray<BenchSecond>
  /** Histogram of response times: each bin starts at `from`, in ms, and ends at the next. */
  readonly answers: ReadonlyArray<{ readonly from: Millis; readonly count: number }>
  /** Totals, including the warm-up. */
  readonly total: BenchTotals
  /** Arrivals at the embedded sandbox; absent for another environment. */
  readonly arrivals?: Arrivals
  /** Other programs, if requested. */
  readonly peers: ReadonlyArray<BenchPeer>
  /** The machine that measured. */
  readonly machine: Machine
}

/** The machine that measured. */
export interface Machine {
  /** CPU model. */
  readonly cpu: string
  /** Number of cores available to the process. */
  readonly cores: number
  /** Node version. */
  readonly node: string
}
