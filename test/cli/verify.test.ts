import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readManifest } from '../../src/export/transfer/Manifest.js'
import { manifestOf } from '../support/manifests.js'
import { cli, folder } from './support.js'

const file = await folder()
beforeEach(() => mkdir(dirname(file('x')), { recursive: true }).then(() => {}))

const exported = (out: string) =>
  cli(['export', 'charges', '--sandbox', '--rows', '20', '--quiet', '--out', out])

const WELL = { status: 0, stdout: 'matches the manifest: 1 file\n', stderr: '' }

it.each(['c.json', 'my-manifest.json'])('takes an export and its manifest: %s', async (name) => {
  await exported(file(name))
  expect(await cli(['verify', file(name)])).toEqual(WELL)
  expect(await cli(['verify', file(`${name}.manifest.json`)])).toEqual(WELL)
})

it('refuses a manifest of another file', async () => {
  await exported(file('charges.csv'))
  await copyFile(file('charges.csv.manifest.json'), file('january.csv.manifest.json'))
  const { status, stdout } = await cli(['verify', file('january.csv')])
  expect(status).toBe(1)
  expect(stdout).toMatch(/january\.csv: is not in its manifest, which lists charges\.csv\n$/)
})

it('prints what a manifest says in lines without control characters, and reads no pipe', async () => {
  await exported(file('c.csv'))
  const path = file('c.csv.manifest.json')
  const { run } = readManifest(path)(await readFile(path, 'utf8'))
  const words = '\u001b]0;TITLE\u0007\u001b[2Jx\nmatches the manifest: 99 files'
  const files = ['pipe', `${words}.csv`].map((name) => ({ path: name, rows: 0, bytes: 0 }))
  execFileSync('mkfifo', [file('pipe')])
  await writeFile(path, manifestOf({ ...run, complete: false, missing: [words], files }))
  const { status, stdout } = await cli(['verify', path])
  expect(status).toBe(1)
  expect(stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  expect(stdout.split('\n')).toEqual([
    expect.stringContaining('is not complete; missing:'),
    `${file('pipe')}: is not a regular file`,
    expect.stringContaining('99 files.csv: does not exist'),
    '',
  ])
})

it('takes a folder, whatever it is called', async () => {
  await exported(file('a-manifest.json/'))
  const { status } = await cli(['verify', file('a-manifest.json')])
  expect(status).toBe(0)
  expect((await cli(['verify', file('a-manifest.json/_manifest.json')])).status).toBe(0)
})

it('reports an unreadable manifest in one line', async () => {
  await mkdir(file('c.csv.manifest.json'))
  const { status, stderr } = await cli(['verify', file('c.csv')])
  expect(status).toBe(2)
  expect(stderr).toMatch(/^payments-rx: .*manifest\.json is not a regular file\n$/)
  await writeFile(file('d.csv.manifest.json'), '[]')
  expect((await cli(['verify', file('d.csv')])).status).toBe(2)
})

it('reports a folder without a manifest', async () => {
  await mkdir(file('empty'))
  for (const path of [file('empty'), file('empty/')]) {
    const { status, stderr } = await cli(['verify', path])
    expect(status).toBe(2)
    expect(stderr).toBe(
      `payments-rx: ${file('empty/_manifest.json')} does not exist: give the file or folder from --out of an export, or its manifest\n`,
    )
  }
})

describe('against the service', () => {
  const at = ['--against-service', '--sandbox', '--rows', '500']

  it('proves a table, a folder and a file, in one line', async () => {
    for (const to of ['c.sqlite', 'c/']) {
      await cli(['sync', 'charges', file(to), '--sandbox', '--rows', '500', '--quiet'])
    }
    await cli([
      ...['export', 'charges', '--out', file('c.csv'), '--sandbox', '--rows', '500', '--quiet'],
    ])
    for (const to of ['c.sqlite', 'c', 'c.csv', 'c.csv.manifest.json']) {
      const { status, stdout } = await cli(['verify', file(to), ...at])
      expect([to, status, stdout]).toEqual([
        to,
        0,
        expect.stringMatching(/^row counts match the service up to .*Z \(500 rows/),
      ])
    }
  })

  it('ends with 1 and one line for each stretch that differs', async () => {
    const to = file('d.sqlite')
    await cli(['sync', 'charges', to, '--sandbox', '--rows', '499', '--quiet'])
    const { status, stdout, stderr } = await cli(['verify', to, ...at])
    expect([status, stderr]).toEqual([1, expect.stringContaining('rerun the sync')])
    expect(stdout).toMatch(/^all rows from \S+ to \S+Z: \d+ here, \d+ at the service\n/)
  })

  it('refuses what cannot be counted, with 2', async () => {
    const to = file('b.sqlite')
    await cli(['sync', 'batch-transfers', to, '--sandbox', '--rows', '3', '--quiet'])
    await writeFile(file('x.csv'), '')
    const refused = async (...args: ReadonlyArray<string>): Promise<string> => {
      const { status, stderr } = await cli(['verify', ...args])
      expect(status).toBe(2)
      return stderr
    }
    expect(await refused(to, '--table', 'batch_transfers', ...at)).toMatch(/only charges can be/)
    expect(await refused(to, ...at)).toMatch(/has no table charges written by a sync/)
    expect(await refused(to)).toMatch(/a database has no manifest: use --against-service/)
    expect(await refused(file('none.sqlite'), ...at)).toMatch(/cannot read .*it cannot be opened/)
    expect(await refused(file('x.csv'), ...at)).toMatch(/manifest.json does not exist/)
    expect(await refused(file('x.csv'), '--table', 'charges', ...at)).toMatch(
      /is only for databases/,
    )
    expect(await refused(file('x.csv'), '--rows', '5')).toMatch(/requires --against-service/)
    expect(await refused(to, '--against-service')).toMatch(/--base-url or PAYMENTS_BASE_URL/)
  })
})
