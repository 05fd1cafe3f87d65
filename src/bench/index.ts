/** Measures throughput: how fast this client is on this machine, and what limits it. */
export type { BenchOptions } from './BenchOptions.js'
export type {
  Arrivals,
  BenchPeer,
  BenchResult,
  BenchSecond,
  BenchTotals,
  BestConcurrency,
  BoundBy,
  Ceiling,
  Machine,
  Percentiles,
  SubRun,
} from './BenchResult.js'
export { type BenchEvent, type BenchFact, bench } from './bench.js'
export type { Usage } from './measure.js'
export type { BenchFailure, RunProgress } from './run.js'
export type { Workload } from './workload.js'
