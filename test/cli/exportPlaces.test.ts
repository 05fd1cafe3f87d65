/** The files that a command is told to write: none may be another, or one that it goes on from. */
import { once } from 'node:events'
import { chmod, mkdir, open, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { beforeEach, expect, it, vi } from 'vitest'
import { cli, folder } from './support.js'

const file = await folder()
beforeEach(() => mkdir(dirname(file('x')), { recursive: true }).then(() => {}))

const exported = (...args: ReadonlyArray<string>) =>
  cli(['export', 'charges', '--sandbox', '--rows', '20', ...args])

const PART = 'is a name that the export uses for its rows'

it.each([
  ['the output', 'c.ndjson', ['--checkpoint', 'c.ndjson'], '--checkpoint and --out'],
  ['its manifest', 'c.ndjson', ['--checkpoint', 'c.ndjson.manifest.json'], 'and the manifest are'],
  ['its rejects', 'c.ndjson', ['--checkpoint', 'c.ndjson.rejects.ndjson'], 'of rejected rows'],
  ['a link to it', 'c.ndjson', ['--checkpoint', 'link.ndjson'], '--checkpoint and --out'],
  ['the same', 'c.ndjson', ['--checkpoint', '../sub/c.ndjson'], '--checkpoint and --out'],
  ['a manifest', 'd/', ['--checkpoint', 'd/_manifest.json'], '--checkpoint and the manifest'],
  ['a part', 'd/', ['--checkpoint', 'd/part-00001-001.ndjson'], PART],
])('are refused when one is %s: %s %j', async (_, out, [first, ...rest], said) => {
  await mkdir(file('sub'))
  await writeFile(file('sub/c.ndjson'), 'earlier\n')
  await symlink(file('sub/c.ndjson'), file('sub/link.ndjson'))
  const before = await readdir(file('sub'))
  const paths = rest.map((word) => (word.startsWith('--') ? word : file(`sub/${word}`)))
  const { status, stderr } = await exported('--out', file(`sub/${out}`), `${first}`, ...paths)
  expect(stderr).toContain(said)
  expect(stderr).toMatch(/^payments-rx: .*\n$/)
  expect(status).toBe(2)
  expect(await readFile(file('sub/c.ndjson'), 'utf8')).toBe('earlier\n')
  expect(await readdir(file('sub'))).toEqual(before)
})

it('are not a link in the place of the checkpoint, nor the file that it names', async () => {
  await writeFile(file('mine.txt'), 'mine')
  await symlink(file('mine.txt'), file('c.ndjson.checkpoint.json'))
  const { status, stderr } = await exported('--out', file('c.ndjson'), '--restart')
  expect([status, stderr]).toEqual([2, expect.stringContaining('is a link')])
  expect(await readFile(file('mine.txt'), 'utf8')).toBe('mine')
})

it('may be side by side', async () => {
  const beside = ['--checkpoint', file('c.checkpoint')]
  const { status } = await exported('--out', file('c.ndjson'), ...beside)
  expect(status).toBe(0)
  const within = ['--checkpoint', file('new/c.checkpoint')]
  expect(await exported('--out', file('new/'), ...within)).toMatchObject({ status: 0 })
})

it.each([
  ['.', (path: string) => `--checkpoint: ${path} is a folder`],
  ['new/', () => '--checkpoint should be a file on this machine'],
])('are no folders: %s', async (name, why) => {
  const path = file(name)
  const { status, stderr } = await exported('--out', file('c.csv'), '--checkpoint', path)
  expect([status, stderr]).toEqual([2, `payments-rx: ${why(path)}\n`])
  expect(await readdir(dirname(file('x')))).not.toContain('c.csv')
})

it('are no folder in the place of a file', async () => {
  await writeFile(file('c.csv'), 'earlier\n')
  const { status, stderr } = await exported('--out', file('c.csv/'))
  expect([status, stderr]).toEqual([2, expect.stringContaining('is a file, not a folder')])
})

it('are no pipe and no device', async () => {
  const server = createServer().listen(file('pipe'))
  await once(server, 'listening')
  await symlink('/dev/null', file('nothing'))
  for (const [option, ...words] of [
    ['--out', file('pipe')],
    ['--out', file('nothing')],
    ['--out', '/dev/null'],
    ['--checkpoint', file('pipe'), '--out', file('c.csv')],
  ]) {
    const { status, stderr } = await exported(`${option}`, ...words)
    const advice = option === '--out' ? ': use --in-place, or --out - for stdout' : '' // no checkpoint goes there
    expect(stderr).toBe(
      `payments-rx: ${option}: ${words[0]} is a pipe or a device, not a file${advice}\n`,
    )
    expect(status).toBe(2)
  }
  expect(await readdir(file('.'))).toEqual(['nothing', 'pipe'])
  server.close()
})

// what a process has open has a name there
it.skipIf(process.platform === 'win32')('are no file that is open as something else', async () => {
  await writeFile(file('log'), 'earlier\n')
  const log = await open(file('log'), 'a')
  await symlink(`/dev/fd/${log.fd}`, file('link.ndjson'))
  await symlink('link.ndjson', file('further.ndjson'))
  for (const [option, ...words] of [
    ['--out', `/dev/fd/${log.fd}`],
    ['--out', file('link.ndjson')],
    ['--out', file('further.ndjson')],
    ['--checkpoint', `/dev/fd/${log.fd}`, '--out', file('c.csv')],
  ]) {
    const { status, stderr } = await exported(`${option}`, ...words)
    expect(stderr).toMatch(
      new RegExp(`^payments-rx: ${option}: ${words[0]} is an open file descriptor.*\n$`),
    )
    expect(status).toBe(2)
  }
  await log.close()
  expect(await readFile(file('log'), 'utf8')).toBe('earlier\n')
  expect(await readdir(file('.'))).toEqual(['further.ndjson', 'link.ndjson', 'log'])
})

it.each([
  ['--out', (long: string) => ['--out', file(`${long}.csv`)]],
  ['--out', (long: string) => ['--out', file(`${long}${'x'.repeat(40)}/`)]],
  ['--checkpoint', (long: string) => ['--checkpoint', file(long), '--out', file('c.csv')]],
])('are not called too long: %s', async (option, words) => {
  const { status, stderr } = await exported(...words('x'.repeat(240)))
  expect(stderr).toMatch(
    /^payments-rx: .* is too long: this file, or the files next to it, could not be created\n$/,
  )
  expect([status, stderr.includes(`rx: ${option}: `)]).toEqual([2, true])
  expect(await readdir(file('.'))).toEqual([])
})

it.each([
  [
    'a link into a folder that is not there',
    'dangling.csv',
    'nowhere should be an existing, writable',
  ],
  ['a link to itself', 'loop.csv', 'loop.csv is a broken link'],
])('are refused where nothing can be made: %s', async (_, out, said) => {
  await symlink('nowhere/c.csv', file('dangling.csv'))
  await symlink('loop.csv', file('loop.csv'))
  const before = await readdir(file('.'))
  const { status, stderr } = await exported('--out', file(out))
  expect([status, stderr]).toEqual([2, expect.stringContaining(said)])
  expect(stderr).toMatch(/^payments-rx: --out: .*\n$/)
  expect(await readdir(file('.'))).toEqual(before)
})

it('are made behind a link, and in folders that are not there yet', async () => {
  await symlink('later.csv', file('link.csv'))
  expect((await exported('--out', file('link.csv'))).status).toBe(0)
  expect((await exported('--out', `${file('a')}/b/`)).status).toBe(0)
  expect(await readdir(file('a/b'))).toContain('_manifest.json')
  expect(await readdir(file('.'))).toContain('later.csv')
})

it('may have a name as long as leaves room for those of the files beside it', async () => {
  const name = `${'x'.repeat(255 - '.csv.checkpoint.json.0123456789ab.part'.length)}.csv`
  const { status } = await exported('--out', file(name))
  expect(status).toBe(0)
  expect(await readdir(file('.'))).toEqual([name, `${name}.manifest.json`])
})

// who may do everything may write to every file
it.skipIf(process.getuid?.() === 0)('are refused where one may not be written to', async () => {
  expect((await exported('--out', file('c.ndjson'))).status).toBe(0)
  await chmod(file('c.ndjson'), 0o444)
  const { status, stderr } = await exported('--out', file('c.ndjson'))
  expect(stderr).toBe(`payments-rx: --out: ${file('c.ndjson')} cannot be written to: EACCES\n`)
  expect(status).toBe(2)
  expect(await readdir(file('.'))).toEqual(['c.ndjson', 'c.ndjson.manifest.json'])
  expect((await cli(['verify', file('c.ndjson')])).status).toBe(0)
})

it('are as they were where what is kept of them cannot be read', async () => {
  await writeFile(file('c.ndjson'), 'earlier\n')
  await mkdir(file('c.ndjson.checkpoint.json'))
  const path = file('c.ndjson.checkpoint.json')
  for (const option of ['--resume', '--restart']) {
    const { status, stderr } = await exported('--out', file('c.ndjson'), option)
    const said = `payments-rx: ${path} is not a regular file\n`
    expect([status, stderr]).toEqual([2, expect.stringContaining(said)])
  }
  expect(await readFile(file('c.ndjson'), 'utf8')).toBe('earlier\n')
})

it('are nowhere once the folder is gone that the command was started in', async () => {
  const cwd = vi.spyOn(process, 'cwd').mockImplementation(() => {
    throw Object.assign(new Error('ENOENT: process.cwd'), { code: 'ENOENT', syscall: 'uv_cwd' })
  })
  const { status, stderr } = await exported('--out', 'c.ndjson').finally(() => cwd.mockRestore())
  expect([status, stderr]).toEqual([
    2,
    'payments-rx: the working directory no longer exists: change to another one, or use absolute paths\n',
  ])
})
