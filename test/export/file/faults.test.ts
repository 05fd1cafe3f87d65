import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { compressions, formatNames } from '../../../src/export/format/Format.js'
import { openFile } from '../../../src/export/index.js'
import { sample } from '../../support/runs.js'
import { tempFolder } from '../../support/tempFolder.js'
import { textOf } from '../reading.js'
import { format, rowOf } from '../rows.js'
import { watched } from './disk.js'

const folder = tempFolder()

const page = Array.from({ length: 30 }, (_, n) => rowOf({ id: `Zoë pays ${n} €` }))
const all = formatNames.flatMap((name) => compressions.map((compress) => ({ name, compress })))

describe.each(sample(3, all))('$name, $compress', ({ name, compress }) => {
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
