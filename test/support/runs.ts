import { seeded } from '../../bench/simulated/random.ts'

/**
 * The seed of all properties and samples. With it, a run replays exactly, and no change fails by chance. `SEED=7` replays
 * another run, and `SEED=random` a random one (drawn by `vitest.config.ts` for all workers).
 */
export const SEED =
  process.env.SEED === 'random'
    ? Math.floor(Math.random() * 2 ** 31)
    : Number(process.env.SEED ?? 1)

/** With `RUNS=1`, as in `.ci/run`, or any other number, enumerations are played completely. Otherwise, a sample is played. */
export const isWhole = process.env.RUNS !== undefined

/** Share of a property's runs in a sample. */
const SAMPLED = 1 / 4

/**
 * Returns the number of runs of a property: `whole` with `RUNS=1`, twenty times that with `RUNS=20`, and a sample without
 * `RUNS`.
 */
export const runs = (whole: number): number =>
  Math.ceil(whole * Number(process.env.RUNS ?? SAMPLED))

/** Returns `few` of the cases of an enumeration in their order, drawn by `SEED`; with `RUNS`, all of them. */
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
