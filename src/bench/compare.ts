/** Two results side by side: a change within the spread of repeated runs is none. */
import { fieldsOf } from '../decode/unknown.js'
import { InvalidOption } from '../options/index.js'
import type { BenchResult, SubRun } from './BenchResult.js'

// model

/** A figure before and after. */
export interface BenchChange {
  readonly name: 'rowsPerSecond' | 'requestsPerSecond' | 'cpuSecondsPerMillionRows'
  readonly before: number
  readonly after: number
  /** Relative: 0.1 is 10 % more. */
  readonly change: number
  /** The spread of the parts of a run, relative to its mean: of the run that has more. */
  readonly noise: number
  readonly verdict: 'none' | 'better' | 'worse'
}

/** The fields of a result that are compared. */
export type Comparable = Pick<BenchResult, 'workload' | 'subRuns'>

const FIGURES = [
  ['rowsPerSecond', 'more is better'],
  ['requestsPerSecond', 'more is better'],
  ['cpuSecondsPerMillionRows', 'less is better'],
] as const

// functions

/** Reads an earlier result of the same workload. Throws an `InvalidOption` that names the field that is wrong. */
export const comparableOf = (u: unknown, expected: Comparable['workload']): Comparable => {
  const { workload, subRuns } = fieldsOf(u)
  if (workload !== expected) {
    throw new InvalidOption(
      'compare',
      `a result of a run of ${expected}, by its field \`workload\``,
    )
  }
  if (!Array.isArray(subRuns) || !subRuns.every(isSubRun)) {
    throw new InvalidOption('compare', 'a result as --json writes it, with a list `subRuns`')
  }
  return { workload: expected, subRuns }
}

/** Compares two runs of one workload. */
export const compare = (before: Comparable, after: Comparable): ReadonlyArray<BenchChange> =>
  FIGURES.flatMap(([name, good]) => {
    const [old, now] = [valuesOf(before, name), valuesOf(after, name)]
    if (old.length === 0 || now.length === 0) return []
    const [from, to] = [mean(old), mean(now)]
    const change = from === 0 ? 0 : to / from - 1
    const noise = Math.max(spread(old), spread(now))
    const isNone = Math.abs(change) <= noise
    const isBetter = change > 0 === (good === 'more is better')
    const verdict = isNone ? 'none' : isBetter ? 'better' : 'worse'
    return [{ name, before: from, after: to, change, noise, verdict }]
  })

const valuesOf = ({ subRuns }: Comparable, name: BenchChange['name']): ReadonlyArray<number> =>
  subRuns.flatMap(({ [name]: value }) => (value === null ? [] : [value]))

const mean = (values: ReadonlyArray<number>): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length

/** The distance from the least to the most, as a part of the mean. One part alone tells nothing: all of it. */
const spread = (values: ReadonlyArray<number>): number => {
  const middle = mean(values)
  if (values.length < 2) return 1
  return middle === 0 ? 0 : (Math.max(...values) - Math.min(...values)) / middle
}

const isSubRun = (u: unknown): u is SubRun =>
  FIGURES.every(([name]) => {
    const { [name]: value } = fieldsOf(u)
    return typeof value === 'number' || (name === 'cpuSecondsPerMillionRows' && value === null)
  })
