/** Obstacles of a run are reported with the field, and nothing is changed. */
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memory } from './memory.js'
import {
  away,
  csv,
  found,
  good,
  listOf,
  numbers,
  OUT,
  outcome,
  type Played,
  refused,
  rest,
  run,
  sourceOf,
  unfinished,
} from './playing.js'

const CHECKPOINT = `${OUT}.checkpoint.json`
const REJECTS = `${OUT}.rejects.ndjson`

/** A disk with an export that stopped after its second page. */
const stopped = async (options: Played = {}) => {
  const files = memory()
  await outcome(files, listOf([good(0, 1), good(2), away]), options)
  return files
}

/** A folder until the end of the test. */
const newFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'payments-rx-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

describe('a checkpoint that is there', () => {
  it('is not overwritten unless it is said so', async () => {
    const files = await stopped()
    const { _tag, path, message } = await refused(files)
    expect({ _tag, path }).toEqual({ _tag: 'CheckpointExists', path: CHECKPOINT })
    expect(message).toBe(`${CHECKPOINT} belongs to an unfinished export`)
  })

  it('is gone on with', async () => {
    const files = await stopped()
    const asked: Array<number> = []
    const last = await outcome(files, listOf(rest, asked), { resume: true })
    expect(asked).toEqual([2])
    expect(numbers(files.text(OUT))).toEqual([0, 1, 2, 3])
    expect(last).toMatchObject({ ended: true, rows: 4, pages: 3 })
    expect(files.names()).toEqual([OUT, `${OUT}.manifest.json`])
  })

  it('is left behind by a restart', async () => {
    const files = await stopped()
    const asked: Array<number> = []
    await outcome(files, listOf(rest, asked), { restart: true })
    expect(asked).toEqual([0, 1, 2])
    expect(numbers(files.text(OUT))).toEqual([0, 1, 2, 3])
    expect(files.names()).toEqual([OUT, `${OUT}.manifest.json`])
  })

  it('in a folder continues under whatever name the folder is found', async () => {
    const before = await stopped({ out: '/exports/items/' })
    const files = memory()
    for (const name of before.names()) {
      files.put(name.replace('/items/', '/renamed/'), before.text(name))
    }
    const last = await outcome(files, listOf(rest), { out: '/exports/renamed/', resume: true })
    expect(last).toMatchObject({ ended: true, rows: 4 })
    expect(files.names()).toEqual([
      '/exports/renamed/_manifest.json',
      '/exports/renamed/part-00000-001.ndjson',
    ])
  })

  it('may be kept elsewhere', async () => {
    const files = memory()
    const checkpoint = '/kept/at.json'
    await outcome(files, listOf([good(0, 1), good(2), away]), { checkpoint })
    expect(files.names()).toContain(checkpoint)
    expect(files.names()).not.toContain(CHECKPOINT)
    const last = await outcome(files, listOf(rest), { checkpoint, resume: true })
    expect(last).toMatchObject({ ended: true, rows: 4 })
    expect(files.names()).toEqual([OUT, `${OUT}.manifest.json`])
  })
})

describe('a checkpoint of something else is refused, by the field', () => {
  it.each([
    [
      { clientId: 'you' },
      'account',
      'its account (base URL, client id, login-as, on-behalf-of) is not the current one',
    ],
    [{ numbers: 'exact' }, 'format.numbers', 'its format.numbers is not given, but is now "exact"'],
  ] as const)('%j', async (other, field, why) => {
    const files = await stopped()
    const before = found(files)
    const error = await run(files, sourceOf(listOf(rest), other), { resume: true }).catch(
      (error: unknown) => error,
    )
    expect(found(files)).toEqual(before)
    expect(error).toMatchObject({ _tag: 'SpecMismatch', path: CHECKPOINT, field })
    expect(error).toMatchObject({ message: `${CHECKPOINT} belongs to another export: ${why}` })
  })

  it.each([
    [{ compress: 'gzip' }, 'format.compress', 'its format.compress is "none", but is now "gzip"'],
    [csv('id'), 'format.name', 'its format.name is "ndjson", but is now "csv"'],
  ] as const)('another format', async (format, field, why) => {
    const error = await refused(await stopped(), { resume: true, ...format })
    expect(error).toMatchObject({ _tag: 'SpecMismatch', field })
    expect(error.message).toContain(why)
  })

  it('other columns', async () => {
    const files = memory()
    await outcome(files, listOf([good(0), away]), csv('id'))
    const error = await refused(files, { resume: true, ...csv('id', 'n') })
    expect(error).toMatchObject({ _tag: 'SpecMismatch', field: 'format.columns' })
  })

  it('another file, that is called as the folder is', async () => {
    const files = memory()
    const checkpoint = '/exports/at.json'
    await outcome(files, listOf([good(0), away]), { out: '/exports/exports', checkpoint })
    const error = await refused(files, { resume: true, out: '/exports/others', checkpoint })
    expect(error).toMatchObject({ _tag: 'SpecMismatch', field: 'destination' })
  })

  it('another file', async () => {
    const files = await stopped()
    files.put('/exports/other.ndjson.checkpoint.json', files.text(CHECKPOINT))
    const error = await refused(files, { resume: true, out: '/exports/other.ndjson' })
    expect(error).toMatchObject({ _tag: 'SpecMismatch', field: 'destination' })
  })
})

describe('a checkpoint that cannot be read is refused', () => {
  it.each([
    ['{"version":1,"purp', 'Damaged', '', 'is not a checkpoint: it should be JSON'],
    ['[]', 'Damaged', '', 'is not a checkpoint: it should be'],
    ['{}', 'Damaged', 'version', 'is not a checkpoint: version should be 5, but is missing'],
    ...[1, 2, 3].map((version) => [
      `{"version":${version}}`,
      'Damaged',
      'version',
      `has version ${version}, but this release of payments-rx resumes`,
    ]),
    [
      '{"version":6}',
      'NewerVersion',
      '',
      'has version 6, but this release of payments-rx knows version 5',
    ],
  ])('%j', async (text = '', _tag, field, why) => {
    const files = memory()
    files.put(CHECKPOINT, text)
    const error = await refused(files, { resume: true })
    expect(error._tag).toBe(_tag)
    expect(error.field ?? '').toBe(field)
    expect(error.message).toContain(`${CHECKPOINT} ${why}`)
  })

  it('when it says something else than what was written', async () => {
    const files = await stopped()
    const text = files.text(CHECKPOINT)
    for (const [from, to] of [
      [/"bytes":\d+/, '"bytes":5'],
      [/"name":"[^"]*part"/, '"name":"../../etc/passwd"'],
      ['"page_num":2', '"page_num":1'],
      [/,"sum":"\w+"/, ''],
    ] as const) {
      expect(text).toMatch(from)
      files.put(CHECKPOINT, text.replace(from, to))
      const { _tag, message } = await refused(files, { resume: true })
      expect(_tag).toBe('Damaged')
      expect(message).toContain('it was changed or damaged since it was written')
    }
  })

  it.each([
    ['shorter than it says', (text: string) => text.slice(0, -1)],
    ['another, as long or longer', (text: string) => 'z'.repeat(2 * text.length)],
    ['gone', undefined],
  ])('when the file is %s', async (_, damage) => {
    const files = await stopped()
    const path = unfinished(files)
    if (damage === undefined) await files.rm(path, { force: true })
    else files.put(path, damage(files.text(path)))
    const before = found(files)
    const asked: Array<number> = []
    const going = run(files, listOf(rest, asked), { resume: true })
    await expect(going).rejects.toMatchObject({ _tag: 'ChecksumMismatch', path })
    expect(asked).toEqual([])
    expect(found(files)).toEqual(before)
  })

  it('when that of the rejected rows is, and nothing is cut back', async () => {
    const files = memory()
    const pages = [[{ _tag: 'Left', left: away } as const, ...good(0)], good(1), away]
    await outcome(files, listOf(pages))
    files.put(unfinished(files), `${files.text(unfinished(files))}{"torn`)
    files.put(REJECTS, 'z')
    const before = found(files)
    const going = run(files, listOf(rest), { resume: true })
    await expect(going).rejects.toMatchObject({ _tag: 'ChecksumMismatch', path: REJECTS })
    expect(found(files)).toEqual(before)
  })

  it('by the system, with its path', async () => {
    const files = await stopped()
    const folder = { code: 'EISDIR', message: 'EISDIR: illegal operation on a directory, read' }
    const open: typeof files.open = async (path, flags) =>
      path === CHECKPOINT
        ? Promise.reject(Object.assign(new Error(folder.message), folder))
        : files.open(path, flags)
    const going = run({ ...files, open }, listOf(rest), { resume: true })
    await expect(going).rejects.toMatchObject({
      ...{ _tag: 'ReadFailed', code: 'EISDIR', path: CHECKPOINT },
      message: `cannot read ${CHECKPOINT}: ${folder.message}`,
    })
  })
})

it.each([
  ['its lease', 10],
  ['its checkpoint', 400],
])('a disk that is too full for %s has no half of it', async (_, room) => {
  const files = memory({ room })
  await expect(run(files, listOf([good(0), good(1)]))).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(files.names().filter((name) => /\.tmp/.test(name))).toEqual([])
})

describe('a folder that is not there', () => {
  it.each([
    ['of the output', 'away/items.ndjson', undefined, 'out'],
    ['in the place of a file', 'file/items.ndjson', undefined, 'out'],
    ['of the checkpoint', 'items.ndjson', 'away/at.json', 'checkpoint'],
  ])('is named: %s', async (_, out, checkpoint, option) => {
    const folder = await newFolder()
    await writeFile(join(folder, 'file'), '')
    const kept = checkpoint === undefined ? {} : { checkpoint: join(folder, checkpoint) }
    const { _tag, path, message } = await refused(undefined, { out: join(folder, out), ...kept })
    const missing = join(folder, out.startsWith('file') ? 'file' : 'away')
    expect({ _tag, path }).toEqual({ _tag: 'UnusablePath', path: missing })
    expect(message).toBe(`${option}: ${missing} should be an existing, writable folder`)
    expect(await readdir(folder)).toEqual(['file'])
  })
})

it.each([
  ['a file in the place of the folder', 'file/', 'file is a file, not a folder'],
  [
    'a file in the place of one that it is in',
    'file/items/',
    'file should be an existing, writable folder',
  ],
  ['a dead link in place of the folder', 'dangling/', 'dangling is a link, but not to a folder'],
  ['a dead link above it', 'dangling/items/', 'dangling is a link, but not to a folder'],
])('%s is named', async (_, name, why) => {
  const folder = await newFolder()
  await writeFile(join(folder, 'file'), 'mine')
  await symlink('nothing', join(folder, 'dangling'))
  const out = `${folder}/${name}`
  const { _tag, path, message } = await refused(undefined, { out })
  expect(_tag).toBe('UnusablePath')
  expect(path).toBe(join(folder, why.split(' ')[0] ?? ''))
  expect(message).toBe(`out: ${join(folder, why)}`)
  expect(await readFile(join(folder, 'file'), 'utf8')).toBe('mine')
  expect((await readdir(folder)).sort()).toEqual(['dangling', 'file'])
})

it('a folder that the system does not let be made is told as the system says it', async () => {
  const files = memory()
  const denied = Object.assign(new Error('EIO: denied'), { code: 'EIO' })
  const mkdir: typeof files.mkdir = () => Promise.reject(denied)
  const going = run({ ...files, mkdir }, listOf([good(0)]), { out: 'away/' })
  await expect(going).rejects.toMatchObject({ _tag: 'WriteFailed', code: 'EIO', cause: denied })
})

it.each([{}, { resume: true }, { restart: true }])('a folder is not a file: %j', async (begin) => {
  const folder = await newFolder()
  const out = join(folder, 'items')
  await mkdir(out)
  const { _tag, path, message } = await refused(undefined, { out, ...begin })
  expect({ _tag, path }).toEqual({ _tag: 'UnusablePath', path: out })
  expect(message).toBe(
    `${out} is a folder, not a file: to write into it, end its name with a slash`,
  )
  expect([await readdir(folder), await readdir(out)]).toEqual([['items'], []])
})

it.each(['EACCES', 'EMFILE'])('a file that cannot be opened stays as it is: %s', async (code) => {
  const files = memory()
  await outcome(files, listOf([good(0, 1)]))
  const before = found(files)
  const open: typeof files.open = (path, flags) =>
    path.endsWith('.part')
      ? Promise.reject(Object.assign(new Error(code), { code, path }))
      : files.open(path, flags)
  for (const begin of [{}, { restart: true }]) {
    await expect(run({ ...files, open }, listOf(rest), begin)).rejects.toMatchObject({ code })
    expect(found(files)).toEqual(before)
  }
})
