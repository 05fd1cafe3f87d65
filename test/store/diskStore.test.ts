import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { diskStore } from '../../src/store/diskStore.js'
import { disk } from '../../src/store/FileSystem.js'
import { memory } from '../export/transfer/memory.js'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'store-'))
})
afterEach(() => rm(folder, { recursive: true }))

const at = (name: string): string => join(folder, name)

describe('a store in a folder', () => {
  it('keeps a text as a file by its name', async () => {
    const store = diskStore({ folder })
    expect(await store.read('a.json')).toBeUndefined()
    const version = await store.replace('a.json', 'one', undefined)
    expect(await store.read('a.json')).toEqual({ text: 'one', version })
    expect(await readFile(at('a.json'), 'utf8')).toBe('one')
    expect(await readdir(folder)).toEqual(['a.json'])
  })

  it('changes a text only from the version that it has', async () => {
    const store = diskStore({ folder })
    const first = await store.replace('a.json', 'one', undefined)
    expect(await store.replace('a.json', 'other', undefined)).toBeUndefined()
    const second = await store.replace('a.json', 'two', first)
    expect(second).toEqual(expect.any(String))
    expect(await store.replace('a.json', 'other', first)).toBeUndefined()
    expect(await store.remove('a.json', String(first))).toBe(false)
    expect((await store.read('a.json'))?.text).toBe('two')
    expect(await store.remove('a.json', String(second))).toBe(true)
    expect(await readdir(folder)).toEqual([])
  })

  it('lets one of many changes at the same time succeed', async () => {
    const stores = Array.from({ length: 8 }, () => diskStore({ folder }))
    let version: string | undefined
    for (let round = 0; round < 5; round++) {
      const texts = stores.map((_, i) => `${round}-${i}`)
      const fresh = await Promise.all(
        stores.map((store, i) => store.replace('a.json', texts[i] ?? '', version)),
      )
      const made = fresh.filter((one) => one !== undefined)
      expect(made).toHaveLength(1)
      version = made[0]
      expect(await diskStore({ folder }).read('a.json')).toEqual({
        text: texts[fresh.indexOf(version)],
        version,
      })
    }
  })

  it('removes what a killed process left of a change', async () => {
    await writeFile(at('a.json.0123456789ab.tmp'), 'torn')
    await writeFile(at('a.json.b.tmp'), 'not ours')
    await diskStore({ folder }).replace('a.json', 'one', undefined)
    expect((await readdir(folder)).sort()).toEqual(['a.json', 'a.json.b.tmp'])
  })

  it('gives its files the permissions it is told', async () => {
    await diskStore({ folder, mode: 0o600 }).replace('a.json', 'one', undefined)
    expect((await stat(at('a.json'))).mode & 0o777).toBe(0o600)
  })

  it('leaves a link alone, and the file behind it', async () => {
    await writeFile(at('victim'), 'precious')
    await symlink('victim', at('a.json'))
    const { version } = (await diskStore({ folder }).read('a.json')) ?? {}
    await expect(diskStore({ folder }).replace('a.json', 'one', version)).rejects.toMatchObject({
      _tag: 'UnusablePath',
      message: `${at('a.json')} is a link, which exports never create: remove it`,
    })
    expect(await readlink(at('a.json'))).toBe('victim')
    expect(await readFile(at('victim'), 'utf8')).toBe('precious')
  })

  it.each(['', '.', '..', '../a', 'a/b', 'a\\b', 'a\0'])('has no text called %j', async (name) => {
    const refused = { _tag: 'UnusablePath', path: folder }
    await expect(diskStore({ folder }).read(name)).rejects.toMatchObject(refused)
    await expect(diskStore({ folder }).replace(name, 'x', undefined)).rejects.toMatchObject(refused)
  })

  it('reads no file that no export can have written', async () => {
    await mkdir(at('folder'))
    await writeFile(at('huge'), '')
    await truncate(at('huge'), 2 ** 30)
    await symlink('/dev/zero', at('endless'))
    const { read } = diskStore({ folder })
    for (const [name, why] of [
      ['folder', 'is not a regular file'],
      ['endless', 'is not a regular file'],
      ['huge', 'has 1073741824 bytes, which is more than any export writes'],
    ] as const) {
      const message = `${at(name)} ${why}`
      await expect(read(name)).rejects.toMatchObject({
        _tag: 'UnusablePath',
        path: at(name),
        message,
      })
    }
  })

  it('says what the system refuses', async () => {
    const files = memory({ room: 2 })
    await files.mkdir(folder, { recursive: true })
    const full = diskStore({ folder, files }).replace('a.json', 'more than that', undefined)
    await expect(full).rejects.toMatchObject({ _tag: 'WriteFailed', code: 'ENOSPC' })
    expect(files.names()).toEqual([])
    const open: typeof disk.open = () =>
      Promise.reject(Object.assign(new Error('EACCES: denied'), { code: 'EACCES' }))
    const denied = diskStore({ folder, files: { ...disk, open } }).read('a.json')
    await expect(denied).rejects.toMatchObject({ _tag: 'ReadFailed', code: 'EACCES' })
    const missing = diskStore({ folder: at('missing') }).replace('a.json', 'x', undefined)
    await expect(missing).rejects.toMatchObject({ _tag: 'UnusablePath', path: at('missing') })
  })
})
