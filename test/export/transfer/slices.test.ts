/** A snapshot that is read by slices of time, over all its starts. */
import { VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E } from '../../../src/fp.js'
import { memory } from './memory.js'
import { away, good, numbers, outcome, type Row, snapshotOf } from './playing.js'

const OUT = '/exports/items/'
const bounds = { from: 10, to: 30 }

/** Two slices of two pages each. */
const sliced = (pages: Parameters<typeof snapshotOf>[0]) =>
  snapshotOf(pages, { perSlice: 2, to: bounds.to })

const first = { from: 10, to: 20, rows: 2 }
const second = { from: 20, to: 30, rows: 2 }

describe('a snapshot in a folder', () => {
  it('ends the file of a slice with the slice, also where the run does not come to its end', async () => {
    const files = memory()
    const pages = [good(0), good(1), good(2), away]
    const last = await outcome(files, sliced(pages), { out: OUT })
    expect(last?.run).toMatchObject({ complete: false, bounds, slices: [first] })
    expect(last?.run?.files).toEqual([
      {
        ...{ path: 'part-00001-001.ndjson', rows: 2, bytes: expect.any(Number) },
        sha256: expect.any(String),
      },
      { path: expect.stringContaining('part-00002-001'), rows: 1, bytes: expect.any(Number) },
    ])
  })

  it('has the beginning, the bounds and the slices of all its starts', async () => {
    const files = memory()
    const timer = new VirtualTimeScheduler()
    timer.frame = Date.UTC(2026, 0, 1)
    await outcome(files, sliced([good(0), good(1), good(2), away]), { out: OUT, timer })
    timer.frame = Date.UTC(2026, 0, 2)
    const pages = [good(0), good(1), good(2), good(3)]
    const last = await outcome(files, sliced(pages), { out: OUT, timer, resume: true })
    expect(last?.run).toMatchObject({
      ...{ complete: true, rows: 4, starts: 2, bounds, slices: [first, second] },
      started: '2026-01-01T00:00:00.000Z',
      finished: '2026-01-02T00:00:00.000Z',
    })
    expect(numbers(files.text(`${OUT}part-00002-001.ndjson`))).toEqual([2, 3])
  })

  it('goes on where rows were put aside, which stay so', async () => {
    const files = memory()
    const spoilt: Row = E.left(away)
    await outcome(files, sliced([[spoilt, ...good(0)], away]), { out: OUT })
    const rest = sliced([[], [spoilt], [], good(3)])
    const last = await outcome(files, rest, { out: OUT, resume: true })
    expect(last).toMatchObject({ ended: true, rows: 2, rejects: 2 })
    const aside = files.names().find((name) => name.endsWith('rejects.ndjson')) ?? 'none'
    expect(files.text(aside).trimEnd().split('\n')).toHaveLength(2)
  })
})
