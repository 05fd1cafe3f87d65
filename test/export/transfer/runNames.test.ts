/** The names of the files that run after run adds to a folder. */
import { expect, it } from 'vitest'
import { readManifest } from '../../../src/export/index.js'
import { manifestOf } from '../../support/manifests.js'
import { memory } from './memory.js'
import { good, outcome, snapshotOf } from './playing.js'

const OUT = '/exports/items/'
const MANIFEST = `${OUT}_manifest.json`

/** Adds a run to a folder that has had so many before, and returns the beginning of the names of its files. */
const added = async (before: number): Promise<string> => {
  const files = memory()
  await outcome(files, snapshotOf([good(0)]), { out: OUT, sinceLast: true })
  const [first] = readManifest(MANIFEST)(files.text(MANIFEST)).runs
  if (first === undefined) throw new Error('no run')
  const others = Array.from({ length: before - 1 }, () => ({ ...first, rows: 0, files: [] }))
  files.put(MANIFEST, manifestOf([first, ...others]))
  const last = await outcome(files, snapshotOf([good(1)]), { out: OUT, sinceLast: true })
  const [file] = last?.run?.files ?? []
  return file?.path.replace('-00001-001.ndjson', '') ?? 'no file'
}

it('sort by run, however many there are', async () => {
  const names = ['part']
  for (const before of [1, 2, 9_998, 9_999]) names.push(await added(before))
  expect(names).toEqual([...['part', 'run-0002', 'run-0003', 'run-9999', 'run-a10000']])
  expect(names).toEqual([...names].sort())
})
