/**
 * The seed of all properties, so that a run plays the same twice, and no change fails by chance: `SEED=7` plays another, and
 * `SEED=random` one that is drawn.
 */
export const SEED =
  process.env.SEED === 'random'
    ? Math.floor(Math.random() * 2 ** 31)
    : Number(process.env.SEED ?? 1)

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
