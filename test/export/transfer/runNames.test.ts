/** The names of the files of a run that replaces another one in a folder: other names, which sort after those. */
import { expect, it } from 'vitest'
import { memory } from './memory.js'
import { good, outcome, snapshotOf } from './playing.js'

const OUT = '/exports/items/'

/** Restarts an export in a folder with a file of this name, and returns the beginning of the names of its files. */
const replacing = async (name: string): Promise<string> => {
  const files = memory()
  files.put(`${OUT}${name}-00001-001.ndjson`, '')
  const last = await outcome(files, snapshotOf([good(1)]), { out: OUT, restart: true })
  const [file] = last?.run?.files ?? []
  return file?.path.replace('-00001-001.ndjson', '') ?? 'no file'
}

it('sort by run, however many there were', async () => {
  const names = ['part']
  for (const name of ['part', 'run-0002', 'run-9998', 'run-9999']) names.push(await replacing(name))
  expect(names).toEqual(['part', 'run-0002', 'run-0003', 'run-9999', 'run-a10000'])
  expect(names).toEqual([...names].sort())
})
