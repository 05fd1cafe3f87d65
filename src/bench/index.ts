/** Throughput, measured: how fast this client is here, and what bounds it. */
export type { BenchOptions } from './BenchOptions.js'
export type { BenchResult } from './BenchResult.js'
export { type BenchEvent, type BenchFact, bench } from './bench.js'
