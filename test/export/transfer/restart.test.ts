/** A restart leaves nothing behind of what was there before, and nothing else goes. */
import { describe, expect, it } from 'vitest'
import { readManifest } from '../../../src/export/transfer/Manifest.js'
import { E } from '../../../src/fp.js'
import { type Memory, memory } from './memory.js'
import {
  away,
  good,
  listOf,
  numbers,
  outcome,
  type Played,
  refused,
  run,
  snapshotOf,
} from './playing.js'

const OUT = '/exports/items/'
const MANIFEST = `${OUT}_manifest.json`
const inFolder: Played = { out: OUT }

const names = (files: Memory) => files.names().map((name) => name.slice(OUT.length))

/** A folder with files of somebody else, too. */
const folder = () => {
  const files = memory()
  for (const name of ['notes.csv', 'part-1.csv']) files.put(`${OUT}${name}`, 'mine')
  return files
}

const mine = ['notes.csv', 'part-1.csv']

describe('a file', () => {
  const out = '/exports/items.ndjson'
  const ids = (files: Memory) => numbers(files.text(out))

  it.each([{}, { restart: true }])('stays until the next run is complete: %j', async (begin) => {
    const files = memory()
    await outcome(files, listOf([good(0)]), { out })
    const before = [files.text(out), files.text(`${out}.manifest.json`)]
    await outcome(files, listOf([good(1), away]), { out, ...begin })
    expect([files.text(out), files.text(`${out}.manifest.json`)]).toEqual(before)
    await outcome(files, listOf([good(1), good(2)]), { out, resume: true })
    expect(ids(files)).toEqual([1, 2])
    expect(files.names()).toEqual([out, `${out}.manifest.json`])
  })

  it('that no export wrote is replaced by a restart only', async () => {
    const files = memory()
    files.put(out, 'mine')
    expect(await refused(files, { out })).toMatchObject({ _tag: 'OutputExists', path: out })
    await outcome(files, listOf([good(1)]), { out, restart: true })
    expect(ids(files)).toEqual([1])
    files.put(out, `${files.text(out)}mine`)
    expect(await refused(files, { out })).toMatchObject({ _tag: 'OutputExists', path: out })
  })

  it('that has another query is replaced by a restart only', async () => {
    const files = memory()
    const queried = (status: string, id: number) => {
      const source = listOf([good(id)])
      return { ...source, describe: () => ({ ...source.describe(), query: { status } }) }
    }
    await outcome(files, queried('SETTLED', 0), { out })
    await expect(run(files, queried('FAILED', 1), { out })).rejects.toMatchObject({
      _tag: 'SpecMismatch',
      message: expect.stringContaining('its query.status is "SETTLED", but is now "FAILED"'),
    })
    expect(ids(files)).toEqual([0])
    await outcome(files, queried('FAILED', 1), { out, restart: true })
    expect(ids(files)).toEqual([1])
  })

  it('is not replaced by what ends earlier, as by a clock that went back', async () => {
    const files = memory()
    const upTo = (to: number, ...pages: Parameters<typeof listOf>[0]) => snapshotOf(pages, { to })
    await outcome(files, upTo(2_000, good(0)), { out })
    const before = files.text(out)
    const earlier = run(files, upTo(1_000, good()), { out })
    await expect(earlier).rejects.toMatchObject({
      _tag: 'OutputExists',
      message:
        'items.ndjson has all rows up to 1970-01-01T00:00:02.000Z, but this run would end at 1970-01-01T00:00:01.000Z, so one of the clocks was wrong',
    })
    expect(files.text(out)).toBe(before)
    await outcome(files, upTo(1_000, good(1)), { out, restart: true })
    expect(ids(files)).toEqual([1])
  })

  it('is replaced by what ends earlier within one second, as precise as the time of the service is', async () => {
    const files = memory()
    const upTo = (to: number, ...pages: Parameters<typeof listOf>[0]) => snapshotOf(pages, { to })
    await outcome(files, upTo(2_000, good(0)), { out })
    await outcome(files, upTo(1_001, good(1)), { out })
    expect(ids(files)).toEqual([1])
  })

  it('without anything in it is replaced', async () => {
    const files = memory()
    files.put(out, '')
    await outcome(files, listOf([good(1)]), { out })
    expect(ids(files)).toEqual([1])
  })
})

it('a folder with files of rows that no run has is replaced by a restart only', async () => {
  const files = folder()
  files.put(`${OUT}part-00000-001.ndjson`, 'mine')
  expect(await refused(files, inFolder)).toMatchObject({
    _tag: 'OutputExists',
    path: `${OUT}part-00000-001.ndjson`,
  })
  await outcome(files, listOf([good(1)]), { ...inFolder, restart: true })
  expect(numbers(files.text(`${OUT}run-0002-00000-001.ndjson`))).toEqual([1])
})

it('the rejected rows of an export go with it', async () => {
  const files = memory()
  const out = '/exports/items.ndjson'
  await outcome(files, listOf([[E.left(away), ...good(0)]]), { out })
  expect(files.names()).toContain(`${out}.rejects.ndjson`)
  await outcome(files, listOf([good(1)]), { out })
  expect(files.names()).toEqual([out, `${out}.manifest.json`])
})

describe('a restart in a folder', () => {
  it('takes away what a run that was killed left, in whatever format', async () => {
    const files = folder()
    const left = [
      'part-00000-001.csv',
      'part-00001-001.ndjson.zst',
      'part-123456-1000.json.gz',
      'run-0002-00000-001.parquet',
      'rejects-2.ndjson',
    ]
    for (const name of left) files.put(`${OUT}${name}`, 'stale')
    await outcome(files, listOf([good(5)]), { ...inFolder, restart: true })
    expect(names(files)).toEqual(['_manifest.json', ...mine, 'run-0003-00000-001.ndjson'].sort())
  })

  it('that was stopped goes on with files of its own', async () => {
    const files = folder()
    const sliced = (...pages: Parameters<typeof snapshotOf>[0]) =>
      snapshotOf(pages, { perSlice: 1 })
    await outcome(files, sliced(good(0), good(1)), inFolder)
    await outcome(files, sliced(good(5), away), { ...inFolder, restart: true })
    await outcome(files, sliced(good(5), good(6)), { ...inFolder, resume: true })
    const own = ['run-0002-00001-001.ndjson', 'run-0002-00002-001.ndjson']
    expect(names(files)).toEqual(['_manifest.json', ...mine, ...own].sort())
    expect(own.flatMap((name) => numbers(files.text(`${OUT}${name}`)))).toEqual([5, 6])
  })

  it('changes nothing before there is a row to write', async () => {
    const files = folder()
    await outcome(files, snapshotOf([good(0)]), inFolder)
    const before = names(files)
    await outcome(files, listOf([away]), { ...inFolder, restart: true })
    expect(names(files)).toEqual(before)
  })

  it('does not mind a manifest that cannot be read', async () => {
    const files = folder()
    await outcome(files, listOf([good(0)]), inFolder)
    files.put(MANIFEST, '{"version":1,"ru')
    await expect(run(files, listOf([good(5)]), inFolder)).rejects.toMatchObject({ _tag: 'Damaged' })
    const last = await outcome(files, listOf([good(5)]), { ...inFolder, restart: true })
    expect(last).toMatchObject({ ended: true, run: { complete: true } })
    expect(readManifest(MANIFEST)(files.text(MANIFEST)).run).toMatchObject({ rows: 1 })
  })
})
