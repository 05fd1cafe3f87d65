import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLines, openFile } from '../../../src/export/index.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-'))
})
afterAll(() => rm(folder, { recursive: true }))

describe('a file of rows', () => {
  it('is cut back to its mark and gone on with', async () => {
    const path = join(folder, 'a.ndjson')
    const format = jsonLines()
    const first = await openFile({ path, format })
    await first.write([{ id: 1 }])
    const mark = await first.commit()
    await first.write([{ id: 2 }])
    await first.abandon()
    const second = await openFile({ path, format, from: mark })
    await second.write([{ id: 3 }])
    const summary = await second.finish()
    expect(await readFile(path, 'utf8')).toBe('{"id":1}\n{"id":3}\n')
    expect(summary).toMatchObject({ path, rows: 2, bytes: 18 })
  })
})
