import { describe, expect, it } from 'vitest'
import { roundTrip } from '../../src/scheduler/RoundTrip.js'

const answered = (...answers: ReadonlyArray<number>) => {
  const trips = roundTrip()
  for (const took of answers) trips.add(took)
  return trips
}

const times = (count: number, took: number): ReadonlyArray<number> => Array(count).fill(took)

describe('how long answers take', () => {
  it('is not known of the shortest before there are eight', () => {
    expect(answered(...times(7, 80)).shortest()).toBe(0)
    expect(answered(...times(7, 80), 30).shortest()).toBe(30)
    expect([answered().longest(), answered(80).longest()]).toEqual([0, 80])
  })

  it('is that of the last 256 answers at least, and of 512 at most', () => {
    const quick = [10, ...times(255, 50)]
    expect(answered(...quick, ...times(256, 90)).shortest()).toBe(10)
    expect(answered(...quick, ...times(257, 90)).shortest()).toBe(90)
    const slow = [500, ...times(255, 50)]
    expect(answered(...slow, ...times(256, 40)).longest()).toBe(500)
    expect(answered(...slow, ...times(257, 40)).longest()).toBe(40)
  })

  it('is ten seconds at most: what takes longer has run into a time limit', () => {
    expect(answered(60_000).longest()).toBe(10_000)
  })
})
