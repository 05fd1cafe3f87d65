import { expect, it } from 'vitest'
import { isDestinationMark } from '../../../src/export/file/parts.js'

const part = {
  slice: 1,
  piece: 1,
  name: 'a.csv.0123456789ab.part',
  bytes: 0,
  rows: 0,
  sha256: 'e3b0c442',
  ended: false,
}

it.each([[[]], [[part]], [[part, { ...part, piece: 2, ended: true }]]])(
  'is a mark: parts %j',
  (parts) => {
    expect(isDestinationMark({ parts })).toBe(true)
  },
)

it.each([
  ...[undefined, null, 'mark', {}, { parts: part }, { parts: [part, null] }],
  ...[
    { slice: '1' },
    { slice: 0.5 },
    { piece: 1.5 },
    { piece: null },
    { bytes: -1 },
    { bytes: Number.NaN },
    { rows: -1 },
    { rows: 0.5 },
    { rows: '0' },
    { sha256: 0 },
    { name: 'a.csv' },
    { name: '../a.csv.0123456789ab.part' },
    { name: undefined },
    { ended: 0 },
    { ended: undefined },
  ].map((wrong) => ({ parts: [{ ...part, ...wrong }] })),
])('is no mark: %j', (u) => {
  expect(isDestinationMark(u)).toBe(false)
})
