/** What is kept of a list that is read by slices of time, over all its resumptions. */
import { VirtualTimeScheduler } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { AnyPosition, SourcePage } from '../../../src/export/SourcePage.js'
import { E } from '../../../src/fp.js'
import type { Slice } from '../../../src/stream/index.js'
import { memory } from './memory.js'
import {
  away,
  good,
  type Item,
  listOf,
  numbers,
  outcome,
  putState,
  type Row,
  stateAt,
} from './playing.js'

const OUT = '/exports/items/'
const CHECKPOINT = `${OUT}checkpoint.json`
const bounds = { from: 10, to: 30 }

/** Two pages a slice of ten ms: of the first page half of it is left. */
const sliced = (pages: Parameters<typeof listOf>[0]): ReturnType<typeof listOf> => {
  const source = listOf(pages)
  const sliceOf = (position: AnyPosition): Slice => {
    const n = 'page_num' in position ? position.page_num : 0
    const number = 1 + Math.floor(n / 2)
    const to = 10 + 10 * number
    const span = { from: to - 10, to }
    const left = n % 2 === 0 ? { from: to - 5, to } : { from: to, to }
    return { ...span, number, rows: n % 2 === 0 ? 1 : 2, left }
  }
  return {
    ...source,
    pages: (from) => ({
      drain: (project) =>
        source
          .pages(from)
          .drain((page) =>
            project(
              E.map((at: SourcePage<Item>) => ({ ...at, slice: sliceOf(at.position) }))(page),
            ),
          ),
    }),
    boundsOf: () => bounds,
    repeats: false,
  }
}

const first = { from: 10, to: 20, rows: 2 }
const second = { from: 20, to: 30, rows: 2 }

describe('a list that is read by slices', () => {
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
      {
        path: expect.stringMatching(/^part-00002-001\.ndjson\.[0-9a-f]{12}\.part$/),
        ...{ rows: 1, bytes: expect.any(Number) },
      },
    ])
  })

  it('has the beginning, the bounds and the slices of all its starts', async () => {
    const files = memory()
    const timer = new VirtualTimeScheduler()
    timer.frame = Date.UTC(2026, 0, 1)
    await outcome(files, sliced([good(0), good(1), good(2), away]), { out: OUT, timer })
    timer.frame = Date.UTC(2026, 0, 2)
    const pages = [[], [], [], good(3)]
    const last = await outcome(files, sliced(pages), { out: OUT, timer, begin: 'resume' })
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
    const last = await outcome(files, rest, { out: OUT, begin: 'resume' })
    expect(last).toMatchObject({ ended: true, rows: 2, rejects: 2 })
    expect(files.text(`${OUT}rejects.ndjson`).trimEnd().split('\n')).toHaveLength(2)
  })

  it('has its bounds where only its end was left to write', async () => {
    const files = memory()
    await outcome(files, sliced([good(0), good(1), away]), { out: OUT })
    const { position: _, ...ended } = stateAt(files, CHECKPOINT)
    putState(files, CHECKPOINT, ended)
    const last = await outcome(files, sliced([]), { out: OUT, begin: 'resume' })
    expect(last?.run).toMatchObject({ complete: true, rows: 2, bounds, slices: [first] })
  })
})
