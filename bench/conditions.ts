/** The conditions under which figures were measured: machine, versions, load. */
import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import type { Suite } from './suites.ts'

export interface Conditions {
  readonly date: string
  readonly version: string
  readonly node: string
  readonly processor: string
  readonly cores: number
  readonly memoryGiB: number
  /**
   * Average number of runnable processes over the last minute. If it exceeds the number of cores, only ratios are meaningful.
   */
  readonly load: number
}

const json = (path: string): Readonly<Record<string, unknown>> =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'))

export const conditions = (): Conditions => ({
  date: new Date().toISOString(),
  version: String(json('../package.json').version),
  node: process.version,
  processor: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  load: Number(loadavg()[0]?.toFixed(1)),
})

/** Names the peers of a suite with their versions. */
export const peerVersions = ({ peers }: Suite): ReadonlyArray<string> =>
  peers.map((peer) => `${peer} ${json(`../node_modules/${peer}/package.json`).version}`)

export const inWords = (of: Conditions): string =>
  `payments-rx ${of.version}, Node ${of.node}, ${of.cores} × ${of.processor}, ${of.memoryGiB} GiB, load ${of.load}`
