/**
 * `npm run bench -- slices [ROWS] [KILLS] [FREEZES] [shared]`: an export in 12 slices by four worker processes that are
 * killed and frozen, beside the same without that: whether each row is there once, and how fast. The sandbox is in this
 * process. `shared`: with the limits of production, divided by way of the Redis.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seeded } from '../../test/support/simulated/random.ts'
import { type SliceOutcome, sliceRun } from '../../test/support/sliceRun.ts'
import { report, reportExact } from '../result.ts'

const [rows = 1_000_000, kills = 20, freezes = 5] = process.argv.slice(2).map(Number)
const PAGE = 2_000

const home = await mkdtemp(join(tmpdir(), 'bench-slices-'))

const measured = async (name: string, kills: number, freezes: number): Promise<SliceOutcome> => {
  const out = join(home, `${name}/`)
  const outcome = await sliceRun({
    cli: new URL('../../dist/cli/main.js', import.meta.url).pathname,
    ...{ out, rows, kills, freezes },
    slices: 12,
    workers: 4,
    // all of them in the first four fifths
    apart: Math.max(1, Math.floor((1.6 * rows) / PAGE / Math.max(1, kills + freezes))),
    pageSize: PAGE,
    latency: 100,
    isShared: process.argv.includes('shared'),
    lease: '5s',
    random: seeded(1),
  })
  await rm(out, { recursive: true, force: true })
  return outcome
}

const rate = ({ ms }: SliceOutcome): number => Math.round((rows * 1_000) / ms)

const quiet = await measured('quiet', 0, 0)
const disturbed = await measured('disturbed', kills, freezes)
await rm(home, { recursive: true })
console.table(
  Object.fromEntries(
    Object.entries({ quiet, disturbed }).map(([name, outcome]) => {
      const { status, kills, freezes, fenced, distinct, runs, complete, verified, ms } = outcome
      return [
        name,
        {
          ...{ status, kills, freezes, fenced, rows: outcome.rows, distinct, runs, complete },
          ...{ verified, s: (ms / 1_000).toFixed(1), 'rows/s': rate(outcome) },
        },
      ]
    }),
  ),
)
const isExact = disturbed.rows === rows && disturbed.distinct === rows && disturbed.verified === 0
reportExact(`${rows} rows, ${kills} kills, ${freezes} freezes`, isExact ? rows : 0, rows)
report({
  subject: `an export in 12 slices by 4 workers, ${kills} kills`,
  unit: 'rows/s',
  better: 'higher',
  contenders: [
    { name: 'workers that are killed', role: 'ours', value: rate(disturbed) },
    { name: 'workers that are left alone', role: 'floor', value: rate(quiet) },
  ],
})
