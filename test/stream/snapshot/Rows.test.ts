import { describe, expect, it } from 'vitest'
import { E } from '../../../src/fp.js'
import { undatedOnce } from '../../../src/stream/snapshot/Rows.js'

/** Rows are texts: `5:a` was made at 5, `?:a` nobody knows when. */
const once = () => {
  const unseen = undatedOnce(
    (raw) => Number(String(raw).split(':')[0]),
    (raw) => (String(raw).endsWith('null') ? undefined : String(raw).slice(2)),
  )
  return (...raw: ReadonlyArray<string>) =>
    unseen({ raw, items: raw.map((row) => E.right(row)) }).raw
}

describe('rows whose time cannot be read', () => {
  it('come once, with whatever answer; others as often as they come', () => {
    const answer = once()
    expect(answer('1:a', '?:b', '2:c')).toEqual(['1:a', '?:b', '2:c'])
    expect(answer('2:c', '?:b', '?:d', '3:e')).toEqual(['2:c', '?:d', '3:e'])
  })

  it('are one by one id, and as many as came in one answer where they are alike and have none', () => {
    const answer = once()
    expect(answer('?:b', '?:b')).toEqual(['?:b'])
    expect(answer('?:null', '?:null', '1:a')).toEqual(['?:null', '?:null', '1:a'])
    expect(answer('?:null', '?:null', '?:null')).toEqual(['?:null'])
    expect(answer('?:null')).toEqual([])
  })
})
