/**
 * ```ts
 * const lanesOf: (options: LaneOptions) => Lanes
 * ```
 *
 * The lanes of a scheduler, by name and by number.
 */
export interface LaneOptions {
  /** How many turns a lane has when several wait. Default `{ interactive: 8, bulk: 1 }`. */
  readonly lanes?: Readonly<Record<string, number>>
  /** The lane of those that name none. Default: the last of `lanes`. */
  readonly lane?: string
}

export interface Lanes {
  readonly weights: ReadonlyArray<number>
  /** Of one for each lane, that of `lane`. Throws a RangeError when there is no such lane. */
  readonly pick: <A>(each: ReadonlyArray<A>, lane: string | undefined) => A
}

const LANES = { interactive: 8, bulk: 1 }

/** Throws a RangeError when there are none, when a weight makes no sense, or when there is no such `lane`. */
export const lanesOf = ({ lanes = LANES, lane: given }: LaneOptions): Lanes => {
  const names = Object.keys(lanes)
  for (const [name, weight] of Object.entries(lanes)) {
    if (!(weight > 0 && weight < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`lane '${name}': weight must be above 0, got ${weight}`)
    }
  }
  const usual = given ?? names.at(-1)
  if (usual === undefined) throw new RangeError('lanes must have at least one lane, got none')

  const pick = <A>(each: ReadonlyArray<A>, lane = usual): A => {
    const one = each[names.indexOf(lane)]
    if (one === undefined)
      throw new RangeError(`there is no lane '${lane}', only ${names.join(', ')}`)
    return one
  }
  pick(names, usual)
  return { weights: Object.values(lanes), pick }
}
