/** A restart leaves nothing behind of what was there before, and nothing else goes. */
import { describe, expect, it } from 'vitest'
import { jsonLines, readManifest } from '../../../src/export/index.js'
import { type Memory, memory } from './memory.js'
import { away, good, listOf, outcome, type Played, run } from './playing.js'

const OUT = '/exports/items/'
const MANIFEST = `${OUT}manifest.json`
const inFolder: Played = { out: OUT }

const names = (files: Memory) => files.names().map((name) => name.slice(OUT.length))

/** A folder with files of somebody else, too. */
const folder = () => {
  const files = memory()
  for (const name of ['notes.csv', 'part-1.csv']) files.put(`${OUT}${name}`, 'mine')
  return files
}

const mine = ['notes.csv', 'part-1.csv']

describe('a restart in a folder', () => {
  it('takes away the files of a run that adds and was not finished', async () => {
    const files = folder()
    await outcome(files, listOf([good(0)]), { ...inFolder, adds: true })
    await outcome(files, listOf([good(1), away]), { ...inFolder, adds: true })
    await outcome(files, listOf([good(5)]), { ...inFolder, begin: 'restart' })
    expect(names(files)).toEqual(['manifest.json', ...mine, 'part-00000-001.ndjson'].sort())
  })

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
    await outcome(files, listOf([good(5)]), { ...inFolder, begin: 'restart' })
    expect(names(files)).toEqual(['manifest.json', ...mine, 'part-00000-001.ndjson'].sort())
  })

  it('of a run that adds keeps the runs before', async () => {
    const files = folder()
    const zipped = jsonLines('gzip')
    await outcome(files, listOf([good(0)]), { ...inFolder, adds: true })
    await outcome(files, listOf([good(1), away]), { ...inFolder, adds: true, format: zipped })
    await outcome(files, listOf([good(2)]), { ...inFolder, adds: true, begin: 'restart' })
    expect(names(files)).toEqual(
      ['manifest.json', ...mine, 'part-00000-001.ndjson', 'run-0002-00000-001.ndjson'].sort(),
    )
    expect(readManifest(MANIFEST)(files.text(MANIFEST)).runs).toHaveLength(2)
  })

  it('changes nothing before there is a row to write', async () => {
    const files = folder()
    await outcome(files, listOf([good(0)]), { ...inFolder, adds: true })
    const before = names(files)
    await outcome(files, listOf([away]), { ...inFolder, begin: 'restart' })
    expect(names(files)).toEqual(before)
  })

  it('does not mind a manifest that cannot be read', async () => {
    const files = folder()
    await outcome(files, listOf([good(0)]), inFolder)
    files.put(MANIFEST, '{"version":1,"ru')
    const again = run(files, listOf([good(5)]), { ...inFolder, adds: true, begin: 'restart' })
    await expect(again).rejects.toMatchObject({ obstacle: 'damaged', path: MANIFEST })
    await expect(run(files, listOf([good(5)]), inFolder)).rejects.toMatchObject({
      obstacle: 'damaged',
    })
    const last = await outcome(files, listOf([good(5)]), { ...inFolder, begin: 'restart' })
    expect(last).toMatchObject({ ended: true, entry: { complete: true } })
    expect(readManifest(MANIFEST)(files.text(MANIFEST)).runs).toHaveLength(1)
  })
})
