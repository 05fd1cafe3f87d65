/** Checks the laws of `Destination` in your own tests: owners are killed or frozen at arbitrary moments of writing. */
import {
  checkArgument,
  checkOptions,
  is,
  type OptionsOf,
  type OptionsTable,
  withDefault,
} from '../../options/index.js'
import type { CheckedDestination } from './CheckedDestination.js'
import { playGames } from './games.js'
import { sessionPlace } from './sessionPlace.js'

// options

const table = {
  /** Seed that reproduces the moments of an earlier check. The error for a broken law contains it. Default: random. */
  seed: is.nonNegativeIntOrInfinity,
  /** Number of simulated games (randomly interrupted runs) per kind of list. Default 20. */
  games: withDefault(is.int(1), 20),
}

/** Options of `checkDestination`. */
export interface CheckOptions extends OptionsOf<typeof table> {}

const rules: OptionsTable<CheckOptions> = table

// constructors

/**
 * Checks that a destination keeps the laws for exports and, if its rows are `byId`, those for `sync` and `follow`, including
 * lists that are replaced as a whole. `make` creates an empty destination for each simulated game. Rejects with an `Error` that
 * names the broken law, the destination, the moment and the seed.
 *
 *     it('keeps the laws', () => checkDestination(async () => ({ open, read, row, plant, planted })))
 */
export const checkDestination = async <A>(
  make: () => Promise<CheckedDestination<A>>,
  options: CheckOptions = {},
): Promise<void> => {
  const { games = table.games.default, seed = crypto.getRandomValues(new Uint32Array(1))[0] ?? 1 } =
    checkOptions(options, rules)
  const { name, rows, close, store } = await (await make()).open((work) => work())
  await close()
  await store?.close?.()
  checkArgument('rows', rows, is.oneOf('appended', 'byId'))
  await playGames(async () => sessionPlace(await make(), name), {
    ...{ seed, games },
    kinds: rows === 'byId' ? ['export', 'by time', 'replaced'] : ['export'],
  })
}
