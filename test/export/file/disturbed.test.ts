/** Whoever removes, replaces or changes a file while it is written is told of, before it is said to be whole. */
import { appendFile, mkdtemp, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatNames } from '../../../src/export/format/Format.js'
import { type FormatName, openFile } from '../../../src/export/index.js'
import { tempFolder } from '../../support/tempFolder.js'
import { format, rowOf } from '../rows.js'
import { watched } from './disk.js'

const folder = tempFolder()

const page = Array.from({ length: 30 }, (_, n) => rowOf({ id: `charge ${n}` }))

const replace = async (path: string): Promise<void> => {
  await writeFile(`${path}.new`, await readFile(path)) // even by the same
  await rename(`${path}.new`, path)
}

const DISTURBANCES: ReadonlyArray<
  readonly [what: string, how: (path: string) => Promise<unknown>, said: string]
> = [
  ['removed', (path) => rm(path), 'was removed'],
  ['removed with its folder', (path) => rm(dirname(path), { recursive: true }), 'was removed'],
  ['replaced', replace, 'was replaced by another file'],
  ['emptied', (path) => truncate(path, 0), 'was'],
  ['cut short', (path) => truncate(path, 100), 'was changed by another program (100 bytes'],
  ['cut to a byte', (path) => truncate(path, 1), 'was changed by another program (1 byte in'],
  ['extended', (path) => appendFile(path, 'mine\n'.repeat(1e4)), 'was changed by another program'],
]

const opened = async (name: FormatName) => {
  const own = await mkdtemp(join(folder, 'one-'))
  const path = join(own, 'rows')
  const { files, open } = watched()
  const file = await openFile({ path, format: format({ format: name }), files })
  await file.write(page)
  await file.commit()
  return { file, path, open }
}

describe.each(DISTURBANCES)('a file that is %s while it is written', (_, disturb, said) => {
  it.each(formatNames)('%s: is not committed, nor ended', async (name) => {
    for (const end of ['commit', 'finish'] as const) {
      const { file, path, open } = await opened(name)
      await disturb(path)
      const error = await file
        .write(page)
        .then(file[end])
        .catch((error: unknown) => error)
      expect(error).toMatchObject({ _tag: 'FileConflict', path })
      expect(String(error)).toContain(`${path} ${said}`)
      await expect(file.finish()).rejects.toBe(error)
      await file.abandon()
      expect(open()).toBe(0)
    }
  })

  it('is not ended when nothing more is written', async () => {
    const { file, path } = await opened('ndjson')
    await disturb(path)
    await expect(file.finish()).rejects.toMatchObject({ _tag: 'FileConflict', path })
    await file.abandon()
  })
})

it('a file that is emptied between a look at its end and a write is not committed', async () => {
  const path = join(await mkdtemp(join(folder, 'between-')), 'rows')
  let disturb = (): Promise<void> => Promise.resolve()
  const { files } = watched({ ready: () => disturb() })
  const file = await openFile({ path, format: format({ format: 'ndjson' }), files })
  await file.write(page)
  await file.commit()
  disturb = () => truncate(path, 0)
  await file.write(page)
  await expect(file.commit()).rejects.toMatchObject({
    ...{ _tag: 'FileConflict', path },
    message: `${path} was emptied by another process while it was being written`,
  })
  await file.abandon()
})
