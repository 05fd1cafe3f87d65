import { expect, it } from 'vitest'
import { KeptPosition as codec } from '../../../src/export/SourcePage.js'
import { E } from '../../../src/fp.js'
import { wholeOf } from '../../../src/stream/index.js'

const position = wholeOf({ from: 0, to: 10 })
const [slice] = position.slices

it('a snapshot goes on from where it stood', () => {
  const ever = wholeOf({ from: -8.64e15, to: 8.64e15 }) // all that a Date can hold
  for (const one of [position, ever]) {
    expect(codec.decode(JSON.parse(JSON.stringify(one)))).toEqual(E.right(one))
  }
})

it.each<readonly [string, unknown]>([
  ['nothing left to read', { ...position, slices: [] }],
  ['a slice at its end', { ...position, slices: [{ ...slice, left: { from: 10, to: 10 } }] }],
  ['a time that is none', { ...position, to: Infinity }],
  ['rows without an end', { ...position, slices: [{ ...slice, rows: Infinity }] }],
  ['a slice that is none', { ...position, slices: ['0 to 10'] }],
  ['no slices', { from: 0, to: 10, cut: 1 }],
  ['a text', '0 to 10'],
  ['nothing', null],
])('a snapshot does not go on from %s', (_what, kept) => {
  expect(E.isLeft(codec.decode(kept))).toBe(true)
})
