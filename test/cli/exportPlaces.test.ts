/** The files that a command is told to write: none may be another, or one that it goes on from. */
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { cli, folder } from './support.js'

const file = await folder()
beforeEach(() => mkdir(dirname(file('x')), { recursive: true }).then(() => {}))

const exported = (...args: ReadonlyArray<string>) =>
  cli(['export', 'charges', '--sandbox', '--rows', '20', ...args])

it.each([
  ['the output', 'c.ndjson', ['--checkpoint', 'c.ndjson'], '--checkpoint and --out'],
  ['its manifest', 'c.ndjson', ['--checkpoint', 'c.ndjson.manifest.json'], 'and the manifest are'],
  ['its lock', 'c.ndjson', ['--report', 'c.ndjson.lock'], 'and the lock are'],
  ['its rejects', 'c.ndjson', ['--report', 'c.ndjson.rejects.ndjson'], 'of rejected rows'],
  ['its checkpoint', 'c.ndjson', ['--report', 'c.ndjson.checkpoint.json'], 'and the checkpoint'],
  ['the output', 'c.ndjson', ['--report', 'c.ndjson'], '--report and --out are one file'],
  ['one another', 'c.ndjson', ['--checkpoint', 'k', '--report', 'k'], '--report and --checkpoint'],
  ['a link to it', 'c.ndjson', ['--checkpoint', 'link.ndjson'], '--checkpoint and --out'],
  ['the same', 'c.ndjson', ['--report', '../sub/c.ndjson'], '--report and --out are one file'],
  ['a manifest', 'd/', ['--checkpoint', 'd/manifest.json'], '--checkpoint and the manifest'],
  ['a part', 'd/', ['--report', 'd/part-00001-001.ndjson'], 'is a name for rows'],
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

it('may be side by side', async () => {
  const beside = ['--checkpoint', file('c.checkpoint'), '--report', file('c.html')]
  const { status } = await exported('--out', file('c.ndjson'), ...beside)
  expect(status).toBe(0)
  const within = await exported('--out', file('new/'), '--checkpoint', file('new/c.checkpoint'))
  expect(within.status).toBe(0)
})

it.each([
  ['--checkpoint', ['--out', 'c.csv', '--checkpoint', '.']],
  ['--report', ['--report', '.']],
])('are no folders: %s', async (option, words) => {
  const { status, stderr } = await exported(...words)
  expect([status, stderr]).toEqual([2, `payments-rx: ${option}: . is a folder\n`])
})

it('are no folder in the place of a file', async () => {
  await writeFile(file('c.csv'), 'earlier\n')
  const { status, stderr } = await exported('--out', file('c.csv/'))
  expect([status, stderr]).toEqual([2, expect.stringContaining('is a file, and no folder')])
})
