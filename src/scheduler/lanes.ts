/**
 * ```ts
 * const lanesOf: (options: LaneOptions) => Lanes
 * ```
 *
 * The lanes of a scheduler, by name and by number.
 */
import { InvalidOption, is, type OptionsTable, type Rule } from '../options/index.js'

export interface LaneOptions {
  /** How many turns a lane has when several wait, from 0.001 to 1,000. Default `{ interactive: 8, bulk: 1 }`. */
  readonly lanes?: Readonly<Record<string, number>>
  /** The lane of those that name none. Default: the last of `lanes`. */
  readonly lane?: string
}

export interface Lanes {
  readonly names: ReadonlyArray<string>
  readonly weights: ReadonlyArray<number>
  /** Of one for each lane, that of `lane`. Throws an `InvalidOption` when there is no such lane. */
  readonly pick: <A>(each: ReadonlyArray<A>, lane: string | undefined) => A
}

const LANES = { interactive: 8, bulk: 1 }

/** One turn takes `1 / weight`; turns are added up, and the lightest must not be lost in the sum. */
const weight: Rule = {
  accepts: (u) => typeof u === 'number' && u >= 0.001 && u <= 1_000,
  expected: 'a weight from 0.001 to 1,000',
  type: 'number',
}

/** What `lanes` and `lane` may be. */
export const laneRules: OptionsTable<LaneOptions> = {
  lanes: is.recordOf(weight, 'an object of weights by the names of lanes'),
  lane: is.string,
}

/** Throws an `InvalidOption` when there are none, or when there is no such `lane`. */
export const lanesOf = ({ lanes = LANES, lane: given }: LaneOptions): Lanes => {
  const names = Object.keys(lanes)
  const usual = given ?? names.at(-1)
  if (usual === undefined) throw new InvalidOption('lanes', 'at least one lane')

  const pick = <A>(each: ReadonlyArray<A>, lane = usual): A => {
    const one = each[names.indexOf(lane)]
    if (one === undefined) throw new InvalidOption('lane', is.oneOf(...names).expected)
    return one
  }
  pick(names, usual)
  return { names, weights: Object.values(lanes), pick }
}
