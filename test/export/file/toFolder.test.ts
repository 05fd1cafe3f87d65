import { appendFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Destination, toFile, toFolder } from '../../../src/export/file/Destination.js'
import { type DestinationMark, isDestinationMark } from '../../../src/export/file/parts.js'
import { disk } from '../../../src/store/FileSystem.js'
import { format, pages, rowOf } from '../rows.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'export-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** Ends a destination, and gives its files their names. */
const finished = async <A>(to: Destination<A>) => {
  await to.finish()
  return to.publish()
}

const how = format({ format: 'csv', columns: ['id'] })

const row = (id: string) => rowOf({ id })

const fresh = async (): Promise<string> => mkdtemp(join(folder, 'out-'))

const contents = async (path: string): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(path))
        .sort()
        .map(async (name) => [name, await readFile(join(path, name), 'utf8')]),
    ),
  )

describe('a folder', () => {
  it('has a part for each slice that has rows', async () => {
    const path = await fresh()
    const to = await toFolder({ path, format: how })
    await Promise.all([to.write([row('a')], 2), to.write([row('b')], 1), to.write([], 3)])
    await to.endSlice(3)
    await to.endSlice(2)
    await to.write([row('c')], 1)
    const files = await finished(to)
    expect(await contents(path)).toEqual({
      'part-00001-001.csv': 'id\r\nb\r\nc\r\n',
      'part-00002-001.csv': 'id\r\na\r\n',
    })
    expect(files.map(({ path, rows }) => [path, rows])).toEqual([
      [join(path, 'part-00001-001.csv'), 2],
      [join(path, 'part-00002-001.csv'), 1],
    ])
  })

  it('begins another part when one has enough rows, or enough bytes', async () => {
    const byRows = await fresh()
    const rows = await toFolder({ path: byRows, format: how, rotation: { rows: 2 } })
    await rows.write(['a', 'b', 'c', 'd', 'e'].map(row), 1)
    await finished(rows)
    expect(await contents(byRows)).toEqual({
      'part-00001-001.csv': 'id\r\na\r\nb\r\n',
      'part-00001-002.csv': 'id\r\nc\r\nd\r\n',
      'part-00001-003.csv': 'id\r\ne\r\n',
    })
    const byBytes = await fresh()
    const bytes = await toFolder({ path: byBytes, format: how, rotation: { bytes: 6 } })
    for (const id of ['a', 'b', 'c']) await bytes.write([row(id)], 1)
    await finished(bytes)
    expect(Object.keys(await contents(byBytes))).toHaveLength(3)
  })

  it('ends a part that has more rows than it may have by now', async () => {
    const path = await fresh()
    const before = await toFolder({ path, format: how, rotation: { rows: 10 } })
    await before.write(['a', 'b', 'c', 'd'].map(row), 1)
    const from = await before.commit()
    await before.abandon()
    const now = await toFolder({ path, format: how, rotation: { rows: 2 }, ...(from && { from }) })
    await now.write(['e', 'f', 'g'].map(row), 1)
    await finished(now)
    expect(await contents(path)).toEqual({
      'part-00001-001.csv': 'id\r\na\r\nb\r\nc\r\nd\r\n',
      'part-00001-002.csv': 'id\r\ne\r\nf\r\n',
      'part-00001-003.csv': 'id\r\ng\r\n',
    })
  })

  it('marks what was given before the commit, and nothing of what is given after it', async () => {
    const path = await fresh()
    const to = await toFolder({ path, format: how })
    const before = [to.write([row('a')], 1), to.write([row('b')], 2)]
    const commit = to.commit()
    const after = [to.write([row('c')], 1), to.write([row('d')], 3)]
    const mark = await commit
    await Promise.all([...before, ...after])
    await to.abandon()
    expect(mark?.parts.map(({ slice, rows }) => [slice, rows])).toEqual([
      [1, 1],
      [2, 1],
    ])
    const again = await toFolder({ path, format: how, ...(mark && { from: mark }) })
    await finished(again)
    const files = await contents(path)
    expect(files['part-00001-001.csv']).toBe('id\r\na\r\n')
    expect(files['part-00002-001.csv']).toBe('id\r\nb\r\n')
    expect(files).not.toHaveProperty('part-00003-001.csv')
  })

  it('lists unfinished parts that the mark does not have, and nothing else', async () => {
    const path = await fresh()
    const newer = 'part-00009-001.csv.0123456789ab.part'
    for (const name of [newer, 'part-00009-001.csv', `${newer}.note`, 'manifest.json']) {
      await writeFile(join(path, name), 'x')
    }
    const to = await toFolder({ path, format: how })
    await to.write([row('a')], 1)
    expect(await to.leftovers()).toEqual([join(path, newer)])
    await to.abandon()
  })

  it('gives up all its files, also after one that cannot be closed, and tells the first error', async () => {
    const path = await fresh()
    const closed: Array<string> = []
    const open: typeof disk.open = async (at, flags) => {
      const handle = await disk.open(at, flags)
      const close = async () => {
        closed.push(basename(at).slice(0, 18))
        await handle.close()
        if (!at.includes('part-00003-001.csv')) throw new Error(`EIO: ${basename(at)}`)
      }
      return flags === 'wx+' ? { ...handle, close } : handle
    }
    const to = await toFolder({ path, format: how, files: { ...disk, open } })
    for (const slice of [1, 2, 3]) await to.write([row('a')], slice)
    const parts = [1, 2, 3].map((slice) => `part-0000${slice}-001.csv`)
    await expect(to.abandon()).rejects.toThrow('EIO: part-00001-001.csv')
    expect(closed).toEqual(parts)
  })

  it('is not gone on with when a part is missing or another', async () => {
    const path = await fresh()
    const to = await toFolder({ path, format: how })
    await to.write([row('a')], 1)
    await to.endSlice(1)
    await to.write([row('b')], 2)
    const mark = await to.commit()
    await to.abandon()
    const again = () => toFolder({ path, format: how, ...(mark && { from: mark }) })
    const isAnother = () => expect(again()).rejects.toMatchObject({ _tag: 'ChecksumMismatch' })
    const [ended = '', open = ''] = mark.parts.map(({ name }) => join(path, name))
    await writeFile(open, 'id\r\nz\r\n')
    await isAnother()
    await writeFile(open, 'id\r\nb\r\n')
    await (await again()).abandon()
    await writeFile(ended, 'id\r\nz\r\n')
    await isAnother()
    await appendFile(ended, 'x')
    await isAnother()
    await rm(ended)
    await isAnother()
  })

  it('goes on after any mark as if nothing had happened', async () => {
    const step = fc.record({
      what: fc.constantFrom('write', 'write', 'commit', 'tear', 'end'),
      slice: fc.integer({ min: 1, max: 3 }),
    })
    const lines = format({ format: 'ndjson', columns: ['id'] })
    await fc.assert(
      fc.asyncProperty(pages, fc.array(step, { maxLength: 14 }), async (given, steps) => {
        const path = await fresh()
        const open = async (mark?: DestinationMark) =>
          toFolder({ path, format: lines, rotation: { rows: 5 }, ...(mark && { from: mark }) })
        const written: Array<Readonly<{ slice: number; id: string }>> = []
        let committed = 0
        let mark: DestinationMark | undefined
        let to = await open()
        for (const [at, { what, slice }] of steps.entries()) {
          if (what === 'write') {
            const page = given[at % Math.max(1, given.length)] ?? []
            await to.write(page, slice)
            written.push(...page.map(({ id }) => ({ slice, id })))
          } else if (what === 'end') {
            await to.endSlice(slice)
          } else if (what === 'commit') {
            const json: unknown = JSON.parse(JSON.stringify(await to.commit()))
            expect(isDestinationMark(json)).toBe(true)
            if (isDestinationMark(json)) mark = json
            committed = written.length
          } else {
            await to.abandon()
            to = await open(mark)
            written.length = committed
          }
        }
        const files = await finished(to)
        const text = (await Promise.all(files.map(({ path }) => readFile(path, 'utf8')))).join('')
        const expected = [1, 2, 3].flatMap((slice) => written.filter((one) => one.slice === slice))
        expect(text).toBe(expected.map(({ id }) => `${JSON.stringify({ id })}\n`).join(''))
        const names = files.map((file) => basename(file.path))
        const others = (await to.leftovers()).map((other) => basename(other))
        expect((await readdir(path)).sort()).toEqual([...names, ...others].sort())
      }),
      { numRuns: 40 },
    )
  })
})

it('a file takes the rows of all slices', async () => {
  const path = join(folder, 'one.csv')
  const to = await toFile({ path, format: how })
  await to.write([row('a')], 1)
  const mark = await to.commit()
  await to.write([row('lost')], 2)
  await to.abandon()
  const again = await toFile({ path, format: how, ...(mark && { from: mark }) })
  await again.write([row('b')], 2)
  await again.endSlice(2)
  expect(await finished(again)).toMatchObject([{ path, rows: 2 }])
  expect(await readFile(path, 'utf8')).toBe('id\r\na\r\nb\r\n')
})
