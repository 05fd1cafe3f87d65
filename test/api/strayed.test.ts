/** Where an envelope does not go on as its row says: both styles, either or neither in one envelope. */
import { describe, expect, it } from 'vitest'
import { byCursor, byNumber, type Position, strayed } from '../../src/api/Paging.js'
import { O } from '../../src/fp.js'

const told = (
  paging: Parameters<typeof strayed>[0],
  position: Position,
  envelope: Readonly<Record<string, unknown>>,
) => {
  const stray = strayed(paging, position, { items: [], ...envelope })
  return O.isSome(stray) ? stray.value.path : undefined
}

describe('a numbered list', () => {
  const page = { page_num: 3 }
  it.each([
    ['has_more: true', { has_more: true }, page, undefined],
    ['has_more: false', { has_more: false }, page, undefined],
    ['a bookmark', { page_after: 'm' }, page, 'page_after'],
    ['a bookmark that ends', { page_after: null }, page, 'page_after'],
    [
      'both, which goes on by the bookmark',
      { has_more: true, page_after: 'm' },
      page,
      'page_after',
    ],
    ['both, at the end', { has_more: false, page_after: null }, page, undefined],
    ['neither', {}, page, 'has_more'],
    ['neither, where bookmarks led to', {}, { page: 'm' }, undefined],
  ])('that answers %s', (_, envelope, position, path) => {
    expect(told(byNumber(100), position, envelope)).toBe(path)
  })
})

describe('a bookmark list', () => {
  it.each([
    ['a bookmark', { page_after: 'm' }, {}, undefined],
    ['an end', { page_after: null }, { page: 'm' }, undefined],
    ['neither, which is an end', {}, {}, undefined],
    ['has_more: true', { has_more: true }, {}, 'has_more'],
    [
      'has_more: true and no further bookmark',
      { has_more: true, page_after: null },
      {},
      'has_more',
    ],
    ['has_more: false alone', { has_more: false }, {}, 'has_more'],
    ['has_more: false, where numbers led to', { has_more: false }, { page_num: 1 }, 'has_more'],
    ['has_more: false after bookmarks', { has_more: false }, { page: 'm' }, undefined],
    ['both, which goes on by the bookmark', { has_more: false, page_after: 'm' }, {}, undefined],
    ['both, at the end', { has_more: false, page_after: null }, {}, undefined],
  ])('that answers %s', (_, envelope, position, path) => {
    expect(told(byCursor(50), position, envelope)).toBe(path)
  })
})
