/** Worker processes that are killed and frozen while they pay, with jobs that are queued more than once. */
import { copyFileSync, cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { payRun } from '../../bench/payments/payRun.js'
import { hasRedis } from '../../bench/services/redis.js'
import { seeded } from '../../bench/simulated/random.js'
import { builtCode } from '../support/built.js'
import { runs } from '../support/runs.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe.skipIf(!hasRedis)('payments as jobs in a real Redis', () => {
  /** The package as it is now, and the worker of the example in it. */
  let home = ''
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'payments-rx-jobs-'))
    cpSync(join(await builtCode(), 'dist'), join(home, 'dist'), { recursive: true })
    copyFileSync(join(root, 'package.json'), join(home, 'package.json'))
    symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
    for (const name of ['payments', 'services']) {
      cpSync(join(root, 'bench', name), join(home, 'bench', name), { recursive: true })
    }
  })
  afterAll(() => rmSync(home, { recursive: true }))

  it('are made once each, by workers that are killed and frozen', async () => {
    const games = runs(1)
    const payments = 300 * games
    const { booked, batches, kills, freezes } = await payRun({
      worker: join(home, 'bench/payments/worker.ts'),
      payments,
      perBatch: 150,
      workers: 2,
      kills: 2 * games,
      freezes: games,
      apart: 5,
      repeatedItems: 'refused',
      lostAnswers: 0.03,
      random: seeded(7),
    })
    expect({ kills, freezes }).toEqual({ kills: 2 * games, freezes: games })
    expect(batches).toEqual(Array(2 * games).fill('BOOKED'))
    expect(booked.size).toBe(payments)
    expect([...booked.values()].filter((times) => times !== 1)).toEqual([])
  })
})
