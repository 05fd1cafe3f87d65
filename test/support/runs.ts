/**
 * How many runs a slow property has: `few`, or by `RUNS=20 npm test -- test/export` twenty times as many. A property that
 * fails says its seed.
 */
export const runs = (few: number): number => Math.ceil(few * Number(process.env.RUNS ?? 1))

/**
 * The first `few` of the cases of a test that starts many processes, where the others differ little, and are played in this
 * process elsewhere; all of them by `RUNS`.
 */
export const cases = <A>(few: number, all: ReadonlyArray<A>): ReadonlyArray<A> =>
  process.env.RUNS === undefined ? all.slice(0, few) : all
