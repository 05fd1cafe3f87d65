/**
 * Changes of a ledger that moves between any two requests: late charges, ties, reopened ones, deletions, unknown statuses,
 * lost, doubled and forged deliveries, failed answers, and kills. `PLAY_SEEDS=100 PLAY_POLLS=60` plays more than the suite.
 */
import { describe, expect, it } from 'vitest'
import { runs } from '../support/runs.js'
import { type Played, play } from './playing.js'

const SEEDS = Number(process.env.PLAY_SEEDS ?? runs(4))
const POLLS = Number(process.env.PLAY_POLLS ?? 25)

const seeds = Array.from({ length: SEEDS }, (_, i) => i + 1)

const sum = (all: ReadonlyArray<Played>, of: (played: Played) => number): number =>
  all.reduce((total, played) => total + of(played), 0)

const differing = (all: ReadonlyArray<Played>): number =>
  all.filter(({ afterNight }) => afterNight > 0).length

const report = (name: string, all: ReadonlyArray<Played>): void => {
  if (process.env.PLAY_SEEDS === undefined) return
  const figures = [
    ...(['told', 'doubled', 'kills', 'outages', 'explained', 'quiet', 'polls'] as const),
    ...(['afterNight', 'afterSweep', 'proving'] as const),
  ]
  const shown = figures.map((figure) => `${figure} ${sum(all, (played) => played[figure])}`)
  // biome-ignore lint/suspicious/noConsole: figures, when they were asked for
  console.info(
    `${name}: ${shown.join(', ')}, requests ${sum(all, ({ requests }) => requests)}`,
    `seeds that differ after a night ${differing(all)}`,
  )
}

describe('changes of a ledger that moves', () => {
  it.each(['killed', 'undisturbed', 'with wrong clocks'])('are all told, %s', async (how) => {
    const all: Array<Played> = []
    for (const seed of seeds) {
      const kills = how === 'killed'
      const played = await play({ seed, polls: POLLS, kills, skew: how === 'with wrong clocks' })
      expect({ seed, unexplained: played.unexplained }).toEqual({ seed, unexplained: [] })
      expect(played.quiet).toBe(0)
      if (!kills) expect({ seed, doubled: played.doubled }).toEqual({ seed, doubled: 0 })
      // opposite errors of one stretch stay until the sweep
      expect({ seed, unproven: played.unproven, after: played.afterSweep }).toEqual({
        ...{ seed, unproven: 0, after: 0 },
      })
      all.push(played)
    }
    expect(differing(all)).toBeLessThanOrEqual(Math.max(1, SEEDS / 10))
    report(how, all)
  })
})
