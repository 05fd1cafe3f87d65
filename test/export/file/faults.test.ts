import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compressions, formatNames, openFile } from '../../../src/export/index.js'
import { textOf } from '../reading.js'
import { format, rowOf } from '../rows.js'
import { watched } from './disk.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-'))
})
afterAll(() => rm(folder, { recursive: true }))

const page = Array.from({ length: 30 }, (_, n) => rowOf({ id: `Zoë pays ${n} €` }))
const all = formatNames.flatMap((name) => compressions.map((compress) => ({ name, compress })))

describe.each(all)('$name, $compress', ({ name, compress }) => {
  const how = format({ format: name, compress })

  it.each([1, 7])('is whole when %i bytes are written and read at a time', async (atOnce) => {
    const [slow, quick] = [join(folder, 'slow'), join(folder, 'quick')]
    const { files } = watched({ atOnce })
    for (const [path, on] of [
      [slow, { files }],
      [quick, {}],
    ] as const) {
      const file = await openFile({ path, format: how, ...on })
      await file.write(page)
      const from = await file.commit()
      await file.abandon()
      const again = await openFile({ path, format: how, from, ...on })
      await again.write(page)
      await again.finish()
    }
    expect(await readFile(slow)).toEqual(await readFile(quick))
  })

  it('keeps what was committed when the disk runs full, and goes on when there is room', async () => {
    const path = join(folder, 'full')
    const { files, room, open } = watched()
    const file = await openFile({ path, format: how, files })
    await file.write(page)
    const mark = await file.commit()
    room(20)
    const failed = await file
      .write(page)
      .then(() => file.commit())
      .catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'ENOSPC', path })
    await expect(file.commit()).rejects.toBe(failed)
    await expect(file.finish()).rejects.toBe(failed)
    await file.abandon()
    await file.abandon()
    expect(open()).toBe(0)

    room(1e6)
    const again = await openFile({ path, format: how, from: mark, files })
    await again.write(page)
    const { rows, bytes, sha256 } = await again.finish()
    const content = await readFile(path)
    expect({ rows, bytes }).toEqual({ rows: 60, bytes: content.length })
    expect(sha256).toBe(createHash('sha256').update(content).digest('hex'))
    expect(open()).toBe(0)
  })
})

describe('a file', () => {
  const how = format({ format: 'ndjson', columns: ['id'] })

  it('says what the system says, and where', async () => {
    await expect(openFile({ path: folder, format: how })).rejects.toMatchObject({
      code: 'EISDIR',
      path: folder,
    })
    const nowhere = join(folder, 'none', 'rows')
    await expect(openFile({ path: nowhere, format: how })).rejects.toMatchObject({
      code: 'ENOENT',
      path: nowhere,
    })
  })

  it('is not gone on with when it is gone, shorter than its mark, or another', async () => {
    const path = join(folder, 'short')
    const file = await openFile({ path, format: how })
    await file.write([rowOf({})])
    const from = await file.commit()
    await file.abandon()
    const isAnother = async (): Promise<void> => {
      const opened = openFile({ path, format: how, from })
      await expect(opened).rejects.toMatchObject({ _tag: 'ChecksumMismatch', path })
    }
    await truncate(path, from.bytes - 1)
    await isAnother()
    await writeFile(path, 'z'.repeat(2 * from.bytes))
    await isAnother()
    expect((await stat(path)).size).toBe(2 * from.bytes)
    await rm(path)
    await isAnother()
  })

  it('is durable with its name when it is committed, and so is its end', async () => {
    const path = join(folder, 'durable')
    const { files, synced } = watched()
    const file = await openFile({ path, format: how, files })
    await file.write([rowOf({})])
    expect(synced).toEqual([])
    await file.commit()
    expect(synced).toEqual([path, folder])
    await file.finish()
    expect(synced).toEqual([path, folder, path])
  })

  it('takes rows while those before them are on their way to the disk, and no more', async () => {
    const path = join(folder, 'behind')
    const gates: Array<() => void> = []
    const ready = () => new Promise<void>((resolve) => gates.push(resolve))
    const file = await openFile({ path, format: how, files: watched({ ready }).files })
    const taken: Array<string> = []
    const write = (id: string) => file.write([rowOf({ id })]).then(() => taken.push(id))
    const all = [write('a'), write('b'), write('c')]
    await all[0]
    await setImmediate()
    expect(taken).toEqual(['a'])
    gates.shift()?.()
    await all[1]
    await setImmediate()
    expect(taken).toEqual(['a', 'b'])
    gates.shift()?.()
    await all[2]
    gates.shift()?.()
    await file.finish()
    expect(await textOf(path, 'none')).toBe('{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n')
  })

  it('may be abandoned after its end', async () => {
    const file = await openFile({ path: join(folder, 'ended'), format: how })
    await file.finish()
    await file.abandon()
  })

  it.each(['gzip', 'zstd'] as const)('has one frame of %s when it is empty', async (compress) => {
    const path = join(folder, 'empty')
    const file = await openFile({ path, format: format({ format: 'ndjson', compress }) })
    expect((await file.finish()).bytes).toBeGreaterThan(0)
    expect(await textOf(path, compress)).toBe('')
  })
})
