/** Path rules of Windows, by `path.win32`: the names of an export's files, and formats by names. */
import { expect, it, vi } from 'vitest'

vi.mock('node:path', async (original) => {
  const { win32 } = await original<typeof import('node:path')>()
  return { ...win32, default: win32 }
})

const { byExtension } = await import('../../../src/export/format/Format.js')
const { findManifest, isFolder, isOfFolder, pathsOf, realName, seenFrom } = await import(
  '../../../src/export/run/paths.js'
)

it.each(['C:\\data\\charges\\', 'C:\\data\\charges/', '\\\\host\\share\\charges\\'])(
  'keeps its files within a folder: %s',
  (out) => {
    const folder = out.replace(/[\\/]$/, '')
    const { checkpoint, isFolder, manifest, rejects } = pathsOf(out)
    expect(isFolder).toBe(true)
    expect([checkpoint, manifest, rejects(2)]).toEqual([
      `${folder}\\checkpoint.json`,
      `${folder}\\manifest.json`,
      `${folder}\\rejects-2.ndjson`,
    ])
    expect(isOfFolder(manifest)).toBe(true)
  },
)

it('keeps its files beside a file', () => {
  const out = 'C:\\data\\charges.csv'
  expect(isFolder(out)).toBe(false)
  expect(pathsOf(out).manifest).toBe('C:\\data\\charges.csv.manifest.json')
  expect(isOfFolder(pathsOf(out).manifest)).toBe(false)
})

it('names files relative to the manifest, so that both can be moved', () => {
  const manifest = 'C:\\data\\charges.csv.manifest.json'
  expect(seenFrom(manifest, 'C:\\data\\charges.csv')).toBe('charges.csv')
  expect(seenFrom(manifest, 'c:\\DATA\\charges.csv')).toBe('charges.csv')
  expect(seenFrom('C:\\data\\charges\\manifest.json', 'C:\\data\\charges')).toBe('.')
})

it.each([
  ['C:\\data.csv\\charges', {}],
  ['C:\\data\\CHARGES.CSV', { format: 'csv' }],
  ['C:\\data.json/charges.parquet', { format: 'parquet' }],
  ['C:\\data\\charges.ndjson.gz', { format: 'ndjson', compress: 'gzip' }],
] as const)('reads the format from the last part of a path: %s', (path, said) => {
  expect(byExtension(path)).toEqual(said)
})

it('follows a link to another drive, and one beside it', async () => {
  const links: Readonly<Record<string, string>> = {
    'C:\\a\\now.csv': 'D:\\b\\then.csv',
    'C:\\a\\here.csv': 'there.csv',
  }
  const readlink = async (path: string): Promise<string> => {
    const target = links[path]
    if (target === undefined) throw new Error('EINVAL')
    return target
  }
  expect(await realName({ readlink }, 'C:\\a\\now.csv')).toBe('D:\\b\\then.csv')
  expect(await realName({ readlink }, 'C:\\a\\here.csv')).toBe('C:\\a/there.csv')
})

it('finds the manifest of a folder that is named without its slash', async () => {
  const inside = 'C:\\data\\charges\\manifest.json'
  const stat = async (path: string) => {
    if (path !== inside) throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' })
    return { isDirectory: () => false, isFile: () => true, size: 1, mode: 0 }
  }
  const readdir = async (): Promise<Array<string>> => []
  expect(await findManifest({ readdir, stat }, 'C:\\data\\charges')).toBe(inside)
})
