/**
 * An export is killed at every single change that it makes to the disk, and resumed until it is complete:
 * whatever the moment, each row is there once, and no line is torn.
 */
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isExportError } from '../../../src/export/index.js'
import { copyOf, type Memory, memory } from './memory.js'
import { away, good, listOf, numbers, OUT, outcome, pagesOf, run } from './playing.js'

const ROWS = Array.from({ length: 23 }, (_, n) => n)
const PAGES = [
  ...pagesOf(20, 5),
  [{ _tag: 'Left', left: away } as const, ...good(20, 21)],
  good(22),
]
const REJECTS = `${OUT}.rejects.ndjson`

/** Begins, or resumes what there is. */
const begun = async (files: Memory) => {
  try {
    return await outcome(files, listOf(PAGES), { resume: true }).catch((error: unknown) => {
      if (!isExportError(error) || error._tag !== 'NothingToResume') throw error
      return outcome(files, listOf(PAGES))
    })
  } catch {
    return undefined // killed
  }
}

const expectWhole = (files: Memory): void => {
  expect(numbers(files.text(OUT))).toEqual(ROWS)
  expect(files.text(REJECTS).split('\n')).toHaveLength(2)
  const { runs } = JSON.parse(files.text(`${OUT}.manifest.json`))
  expect(runs).toHaveLength(1)
  expect(runs[0]).toMatchObject({ ended: true, rows: 23, distinct: 23, rejects: 1 })
  for (const { path, sha256, bytes } of [...runs[0].files, runs[0].rejected]) {
    const text = files.text(`/exports/${path}`)
    expect(bytes).toBe(text.length)
    expect(sha256).toBe(createHash('sha256').update(text).digest('hex'))
  }
  const left = ['', '.manifest.json', '.rejects.ndjson'].map((suffix) => `${OUT}${suffix}`)
  expect(files.names()).toEqual(left)
}

const changesOfAll = async (): Promise<number> => {
  const files = memory()
  await begun(files)
  expectWhole(files)
  return files.changes()
}

describe.each(['kill', 'power cut'] as const)('an export that ends by a %s', (what) => {
  it('is whole when it is resumed, whichever change to the disk was its last', async () => {
    const all = await changesOfAll()
    expect(all).toBeGreaterThan(50)
    for (let dies = 1; dies <= all; dies++) {
      const first = memory({ dies })
      await begun(first)
      const next = first.after(what)
      await begun(next)
      expectWhole(next)
    }
  })

  it('is whole when the resumption dies, too, again and again', async () => {
    const all = await changesOfAll()
    for (let stride = 7; stride < all; stride += 5) {
      let files = memory({ dies: stride })
      let starts = 1
      while ((await begun(files))?.ended !== true) {
        if (++starts > 200) throw new Error('it never ends')
        // at least one page further each time: a commit takes some changes
        files = copyOf(files.after(what), { dies: stride + 60 + starts })
      }
      expectWhole(files)
    }
  })
})

it('says in how many starts it was done', async () => {
  const files = memory({ dies: 40 })
  await begun(files)
  const next = files.after('kill')
  const told = await run(next, listOf(PAGES), { resume: true })
  expect(told[1]?.begun).toEqual({ resumed: true, tookOver: true })
  expect(told.at(-1)?.run).toMatchObject({ starts: 2, rows: 23 })
})

it.each([
  ['after its last page', {}],
  ['after more rows were rejected than there may be now', { maxRejects: 0 }],
])('asks for nothing when only its end was not written: %s', async (_, options) => {
  let ends = 0
  const all = await changesOfAll()
  for (let dies = 1; dies <= all; dies++) {
    const files = memory({ dies })
    await begun(files)
    const asked: Array<number> = []
    const next = files.after('kill')
    const last = await outcome(next, listOf(PAGES, asked), { resume: true, ...options }).catch(
      (error: unknown) => {
        if (!isExportError(error)) throw error
        return undefined // killed before its first page, or with rejected rows
      },
    )
    if (last?.ended !== true || asked.length > 0) continue
    ends++
    expectWhole(next)
  }
  expect(ends).toBeGreaterThan(0)
})
