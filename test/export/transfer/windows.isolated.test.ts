/** Path rules of Windows, by `path.win32`: where an export keeps its files, and formats by names. */
import { lastValueFrom, toArray } from 'rxjs'
import { expect, it, vi } from 'vitest'

vi.mock('node:path', async (original) => {
  const { win32 } = await original<typeof import('node:path')>()
  return { ...win32, default: win32 }
})

const { verify } = await import('../../../src/export/index.js')
const { memory } = await import('./memory.js')
const { away, good, listOf, outcome, run } = await import('./playing.js')

const spoilt = { _tag: 'Left', left: away } as const

it.each(['C:\\data\\charges\\', 'C:\\data\\charges/', '\\\\host\\share\\charges\\'])(
  'keeps its files within a folder: %s',
  async (out) => {
    const folder = out.replace(/[\\/]$/, '')
    const files = memory()
    await outcome(files, listOf([[...good(0), spoilt]]), { out })
    for (const name of files.names()) expect(name.startsWith(`${folder}\\`)).toBe(true)
    expect(files.names()).toContain(`${folder}\\_manifest.json`)
    expect(files.names()).toContain(`${folder}\\part-00000-001.ndjson`)
  },
)

it('keeps its files beside a file', async () => {
  const out = 'C:\\data\\charges.csv'
  const files = memory()
  await outcome(files, listOf([good(0), away]), { out })
  for (const name of files.names()) expect(name.startsWith('C:\\data\\charges.csv.')).toBe(true)
  await outcome(files, listOf([good(0), good(1)]), { out, resume: true })
  expect(files.names()).toEqual([out, `${out}.manifest.json`])
})

it('names files relative to the manifest, so that both can be moved', async () => {
  for (const [out, name] of [
    ['C:\\data\\charges.csv', 'charges.csv'],
    ['C:\\data\\charges\\', 'part-00000-001.ndjson'],
  ] as const) {
    const last = await outcome(memory(), listOf([good(0)]), { out })
    expect(last?.run?.files.map(({ path }) => path)).toEqual([name])
  }
})

it.each([
  ['C:\\data.csv\\charges', 'ndjson', 'none'],
  ['C:\\data\\CHARGES.CSV', 'csv', 'none'],
  ['C:\\data.json/charges.parquet', 'parquet', 'zstd'],
  ['C:\\data\\charges.ndjson.gz', 'ndjson', 'gzip'],
] as const)('reads the format from the last part of a path: %s', async (out, name, compress) => {
  const last = await outcome(memory(), listOf([good(0)]), { out })
  expect(last?.run?.spec.format).toMatchObject({ name, compress })
})

it('locks the file that a link leads to, on another drive or beside it', async () => {
  const links = { 'C:\\a\\now.csv': 'D:\\b\\then.csv', 'C:\\a\\here.csv': 'there.csv' }
  for (const [link, real] of [
    ['C:\\a\\now.csv', 'D:\\b\\then.csv'],
    ['C:\\a\\here.csv', 'C:\\a/there.csv'],
  ] as const) {
    const files = memory({ links })
    let refusal: Promise<unknown> | undefined
    const onReject = async (): Promise<void> => {
      refusal ??= run(files, listOf([good(0)]), { out: real }).catch((error: unknown) => error)
      await refusal
    }
    await run(files, listOf([[...good(0), spoilt]]), { out: link, onReject, lease: 100 })
    expect(await refusal).toMatchObject({ _tag: 'Locked' })
  }
})

it('finds the manifest of a folder that is named without its slash', async () => {
  const files = memory()
  await outcome(files, listOf([good(0)]), { out: 'C:\\data\\charges\\' })
  const checks = await lastValueFrom(verify('C:\\data\\charges', { files }).pipe(toArray()))
  expect(checks).toMatchObject([{ right: { differences: [] } }, { right: { differences: [] } }])
})
