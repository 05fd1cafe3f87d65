import { basename } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPartName } from '../../../src/export/file/parts.js'
import { jsonLines } from '../../../src/export/format/json.js'
import { isOfRun, pathsOf } from '../../../src/export/run/paths.js'
import { targetOf } from '../../../src/export/run/Target.js'
import { disk } from '../../../src/store/FileSystem.js'

const { fileOf } = targetOf(pathsOf('/exports/items/'), jsonLines(), {}, disk)

const nameOf = (run: number, slice = 0, piece = 1): string =>
  basename(fileOf({ slice, piece, name: '', rows: 0, bytes: 0, sha256: '', ended: true }, run))

/** As many with few digits as with many. */
const run = fc
  .integer({ min: 0, max: 53 })
  .chain((bits) => fc.integer({ min: 1, max: Math.min(2 ** (bits + 1), Number.MAX_SAFE_INTEGER) }))

describe('the files of the runs of a folder', () => {
  it('sort by run, however many there are', () => {
    fc.assert(
      fc.property(run, run, fc.nat(), fc.nat(), (a, b, slice, other) => {
        const [before, after] = a < b ? [a, b] : [b, a]
        fc.pre(before < after)
        expect(nameOf(before, slice, 7) < nameOf(after, other, 1)).toBe(true)
      }),
      {
        examples: [
          [9_999, 10_000, 9, 0],
          [99_999, 100_000, 9, 0],
          [1, 2, 9, 0],
        ],
      },
    )
  })

  it('sort by slice, and by piece within a slice, however many there are', () => {
    fc.assert(
      fc.property(run, run, fc.nat(), fc.nat(), (a, b, piece, other) => {
        fc.pre(a < b)
        expect(nameOf(1, a, piece) < nameOf(1, b, other)).toBe(true)
        expect(nameOf(2, other, a) < nameOf(2, other, b)).toBe(true)
      }),
      {
        examples: [
          [101, 1_000, 1, 1],
          [99_999, 100_000, 7, 1],
        ],
      },
    )
  })

  it('are known by their names', () => {
    const known = isPartName({ extension: 'ndjson' })
    fc.assert(
      fc.property(run, run, run, (n, slice, piece) => {
        expect(isOfRun(nameOf(n, slice, piece))).toBe(true)
        expect(known(nameOf(1, slice, piece))).toBe(true)
      }),
    )
    expect(isOfRun('part-00001-1000.ndjson')).toBe(true) // of an earlier version
    expect(isOfRun('run-10000-00000-001.ndjson')).toBe(true) // of an earlier version
    expect(isOfRun('run-z10000-00000-001.ndjson')).toBe(false)
  })

  it('are called so', () => {
    const names = [1, 2, 9_999, 10_000, 123_456].map((n) => nameOf(n))
    expect(names.map((name) => name.replace('-00000-001.ndjson', ''))).toEqual([
      ...['part', 'run-0002', 'run-9999', 'run-a10000', 'run-b123456'],
    ])
  })
})
