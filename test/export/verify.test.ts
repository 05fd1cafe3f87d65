import { lastValueFrom, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { type FileSystem, verify } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { manifestOf } from '../support/manifests.js'
import { type Memory, memory } from './transfer/memory.js'
import { away, csv, good, listOf, OUT, outcome, type Played } from './transfer/playing.js'

const MANIFEST = `${OUT}.manifest.json`

/** Changes what a manifest says, and its checksum with it. */
const edit = (files: Memory, path: string, change: (text: string) => string): void => {
  const { run } = JSON.parse(change(JSON.stringify(JSON.parse(files.text(path)))))
  files.put(path, manifestOf(run))
}

/** A disk on which one file may not be read. */
const locked = (files: FileSystem, locked: string): FileSystem => {
  const refuse = async (path: string): Promise<void> => {
    if (path === locked) throw Object.assign(new Error('EACCES: no'), { code: 'EACCES' })
  }
  return { ...files, open: (path, flags) => refuse(path).then(() => files.open(path, flags)) }
}

describe('verify', () => {
  const found = (files: FileSystem, path = MANIFEST) =>
    lastValueFrom(verify(path, { files }).pipe(toArray())).then((all) =>
      all.flatMap((check) => {
        if (E.isLeft(check)) throw check.left
        const { path, differences } = check.right
        return differences.map(({ _tag, message }) => `${_tag} ${path} ${message}`)
      }),
    )

  const exported = async (format: Played = {}) => {
    const files = memory()
    await outcome(files, listOf([good(0, 1), good(2)]), format)
    return files
  }

  it('finds nothing where all is well', async () => {
    expect(await found(await exported())).toEqual([])
    expect(await found(await exported({ compress: 'gzip' }))).toEqual([])
  })

  it('takes the file itself, or its manifest; of a folder either, with a slash or without', async () => {
    const files = await exported()
    for (const path of [OUT, MANIFEST]) expect(await found(files, path)).toEqual([])
    const folder = memory()
    await outcome(folder, listOf([good(0, 1)]), { out: '/exports/items/' })
    for (const path of ['/exports/items', '/exports/items/', '/exports/items/_manifest.json']) {
      expect(await found(folder, path)).toEqual([])
    }
    await expect(found(files, 'other.ndjson')).rejects.toMatchObject({
      name: 'ExportError',
      _tag: 'NoManifest',
      path: 'other.ndjson.manifest.json',
    })
  })

  it('does not vouch for a file by the manifest of another', async () => {
    const files = await exported()
    const copy = '/exports/copy.ndjson'
    files.put(`${copy}.manifest.json`, files.text(MANIFEST))
    const said = `Unknown ${copy} is not in its manifest, which lists items`
    expect(await found(files, copy)).toEqual([said])
    files.put(copy, files.text(OUT))
    expect(await found(files, copy)).toEqual([said])
    expect(await found(files, `${copy}.manifest.json`)).toEqual([])
  })

  it('takes another name of the same file', async () => {
    const files = await exported()
    files.alias(OUT, '/exports/latest.ndjson')
    files.alias(MANIFEST, '/exports/latest.ndjson.manifest.json')
    expect(await found(files, '/exports/latest.ndjson')).toEqual([])
  })

  it('finds a file that is not there, longer, changed, or of fewer rows', async () => {
    const files = await exported()
    const text = files.text(OUT)
    await files.rm(OUT, { force: true })
    expect(await found(files)).toEqual([`Missing ${OUT} does not exist`])
    expect(await found(files, OUT)).toEqual([`Missing ${OUT} does not exist`])
    files.put(OUT, text.replace('id-1', 'id-7'))
    expect(await found(files)).toEqual([
      expect.stringMatching(/^Hash .*has the SHA-256 \w+, but should/),
    ])
    files.put(OUT, `${text}\n`)
    expect((await found(files)).map((line) => line.split(' ')[0])).toEqual([
      'Bytes',
      'Hash',
      'Rows',
    ])
  })

  it('counts the rows of lines', async () => {
    const files = await exported()
    edit(files, MANIFEST, (text) => text.replaceAll('"rows":3', '"rows":7'))
    expect(await found(files)).toEqual([`Rows ${OUT} has 3 rows, but should have 7 rows`])
  })

  it('finds that an export is not complete', async () => {
    const files = memory()
    await outcome(files, listOf([[E.left(away)], good(1)]))
    expect(await found(files)).toEqual([
      expect.stringMatching(/^Incomplete .* missing: 1 row that was rejected$/),
    ])
  })

  it('looks at the file of rejected rows, too, which are lines in any format', async () => {
    const files = memory()
    const rejects = `${OUT}.rejects.ndjson`
    await outcome(files, listOf([[E.left(away)], good(1)]), csv('id', 'n'))
    expect(await found(files)).toEqual([expect.stringMatching(/^Incomplete /)])
    files.put(rejects, `${files.text(rejects)}\n`)
    expect(await found(files)).toEqual([
      expect.stringMatching(/^Incomplete /),
      expect.stringMatching(/^Bytes .*\.rejects\.ndjson has 97 bytes/),
      expect.stringMatching(/^Hash .*\.rejects\.ndjson has the SHA-256/),
      `Rows ${rejects} has 2 rows, but should have 1 row`,
    ])
  })

  it('does not vouch for a file that was not finished', async () => {
    const files = memory()
    await outcome(files, listOf([good(0), away]))
    await expect(found(files, OUT)).rejects.toMatchObject({ _tag: 'NoManifest' })
    const inFolder = memory()
    await outcome(inFolder, listOf([good(0), away]), { out: '/exports/items/' })
    expect(await found(inFolder, '/exports/items/')).toEqual([
      expect.stringMatching(/^Incomplete /),
      expect.stringMatching(
        /^Hash .* has the SHA-256 \w+, but should have the SHA-256 of a complete file$/,
      ),
    ])
  })

  it('finds a file that cannot be read, and goes on', async () => {
    const inFolder = await exported()
    const text = inFolder.text(OUT)
    await inFolder.rm(OUT, { force: true })
    inFolder.put(`${OUT}/in its place`, text)
    expect(await found(inFolder)).toEqual([`Unreadable ${OUT} is not a regular file`])
    expect(await found(locked(await exported(), OUT))).toEqual([
      `Unreadable ${OUT} cannot be read: EACCES`,
    ])
  })

  it('fails where there is not a manifest, or none that can be read', async () => {
    await expect(found(memory())).rejects.toMatchObject({ _tag: 'NoManifest' })
    await expect(found(locked(await exported(), MANIFEST))).rejects.toMatchObject({
      path: MANIFEST,
      message: expect.stringContaining(`cannot read ${MANIFEST}: EACCES: no`),
    })
  })

  it('believes no run that says of itself that it is not complete', async () => {
    const files = await exported()
    edit(files, MANIFEST, (text) => text.replace('"complete":true', '"complete":false'))
    expect(await found(files)).toEqual([
      expect.stringMatching(/^Incomplete .* missing: rows that the manifest does not name$/),
    ])
  })

  it('believes no manifest that was changed', async () => {
    const files = await exported()
    files.put(MANIFEST, files.text(MANIFEST).replace('"complete": true', '"complete": false'))
    await expect(found(files)).rejects.toMatchObject({ _tag: 'Damaged', field: 'sum' })
  })

  it.each(['../victim', '/etc/shadow', 'a/b', 'a\\b', '..', 'a\0'])(
    'reads no file outside the folder of the manifest: %j',
    async (name) => {
      const files = await exported()
      edit(files, MANIFEST, (text) =>
        text.replace('"path":"items"', `"path":${JSON.stringify(name)}`),
      )
      await expect(found(files)).rejects.toMatchObject({ _tag: 'Damaged', path: MANIFEST })
    },
  )

  it('finds what a run left in a folder, and nothing that is of somebody else', async () => {
    const files = memory()
    await outcome(files, listOf([good(0, 1)]), { out: '/exports/items/' })
    const stray = ['part-00000-001.csv.gz', 'run-0002-00001-001.ndjson', 'rejects-2.ndjson']
    const others = ['notes.csv', 'part-1.csv', 'part-00000-001.csv.note', 'run-0002-00001-001.txt']
    for (const name of [...stray, ...others]) files.put(`/exports/items/${name}`, 'x')
    expect(await found(files, '/exports/items/_manifest.json')).toEqual(
      [...stray]
        .sort()
        .map((name) => expect.stringContaining(`/exports/items/${name} is not in the manifest`)),
    )
  })
})
