import { seeded } from '../../bench/simulated/random.ts'

/**
 * The seed of all properties and samples, so that a run plays the same twice, and no change fails by chance: `SEED=7` plays another,
 * and `SEED=random` one that is drawn (by `vitest.config.ts`, for all workers).
 */
export const SEED =
  process.env.SEED === 'random'
    ? Math.floor(Math.random() * 2 ** 31)
    : Number(process.env.SEED ?? 1)

/** Enumerations are played whole by `RUNS=1`, as in `.ci/run`, or any other number. Otherwise a sample is. */
export const isWhole = process.env.RUNS !== undefined

/** Share of the runs of a property that a sample has. */
const SAMPLED = 1 / 4

/** How many runs a property has: `whole` by `RUNS=1`, twenty times as many by `RUNS=20`, and a sample of them without. */
export const runs = (whole: number): number =>
  Math.ceil(whole * Number(process.env.RUNS ?? SAMPLED))

/** Returns `few` of the cases of an enumeration in their order, drawn by `SEED`; all of them by `RUNS`. */
export const sample = <A>(few: number, all: ReadonlyArray<A>): ReadonlyArray<A> => {
  if (isWhole) return all
  const random = seeded(SEED)
  return all
    .map((one, at) => ({ one, at, drawn: random() }))
    .sort((a, b) => a.drawn - b.drawn)
    .slice(0, few)
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)
}
