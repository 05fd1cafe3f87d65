import { describe, expect, it } from 'vitest'
import { limits, unlimited } from '../../../src/api/limits.js'
import { guardFor, perSecond, widthOf } from '../../../src/cli/export/pace.js'

describe('requests at a time', () => {
  it('are as many as use up the quota when a page takes 400 ms', () => {
    expect(widthOf(limits.production, 1)).toBe(8)
    expect(widthOf(limits.sandbox, 1)).toBe(4)
  })

  it('are fewer of a share, and never none', () => {
    expect(widthOf(limits.production, 0.5)).toBe(4)
    expect(widthOf(limits.sandbox, 0.01)).toBe(1)
  })

  it('are no more than there may be', () => {
    expect(widthOf({ ...limits.production, endpoint: 100, concurrency: 3 }, 1)).toBe(3)
    expect(widthOf({ ...unlimited, concurrency: 3 }, 1)).toBe(3)
    expect(perSecond(limits.production, 0.5)).toBe(10)
  })
})

describe('the guard', () => {
  it('is learned, and safe for a sandbox in the same process, unless it is given', () => {
    expect(guardFor({})).toBe('learned')
    expect(guardFor({ sandbox: true })).toBe('safe')
    expect(guardFor({ sandbox: true, guard: 5 })).toBe(5)
    expect(guardFor({ guard: 'safe' })).toBe('safe')
  })
})
