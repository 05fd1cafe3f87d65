/** Worker processes that are killed and frozen while they pay, with jobs that are queued more than once. */
import { describe, expect, it } from 'vitest'
import { hasRedis } from '../support/redis.js'
import { seeded } from '../support/simulated/random.js'
import { payRun } from './payRun.js'

describe.skipIf(!hasRedis)('payments as jobs in a real Redis', () => {
  it('are made once each, by workers that are killed and frozen', async () => {
    const { booked, batches, kills, freezes } = await payRun({
      payments: 600,
      perBatch: 150,
      workers: 2,
      kills: 4,
      freezes: 2,
      apart: 5,
      repeatedItems: 'refused',
      lostAnswers: 0.03,
      random: seeded(7),
    })
    expect({ kills, freezes }).toEqual({ kills: 4, freezes: 2 })
    expect(batches).toEqual(['BOOKED', 'BOOKED', 'BOOKED', 'BOOKED'])
    expect(booked.size).toBe(600)
    expect([...booked.values()].filter((times) => times !== 1)).toEqual([])
  })
})
