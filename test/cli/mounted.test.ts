/** Files that a container was given by themselves, and files of another group: as root, on Linux. */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { builtCommand } from '../support/built.js'

const isRoot = process.platform === 'linux' && process.getuid?.() === 0

const canMount =
  isRoot && spawnSync('unshare', ['-m', 'mount', '--bind', '/tmp', '/mnt']).status === 0

const exporting = ['export', 'charges', '--sandbox', '--rows', '20', '--progress', 'none', '--out']

const main = await builtCommand()
const home = mkdtempSync(join(tmpdir(), 'payments-rx mounted-'))
afterAll(() => rmSync(home, { recursive: true }))

describe.skipIf(!canMount)('a file that is a mount point', () => {
  it('is refused before anything is sent, and written to directly with --in-place', () => {
    for (const folder of ['host', 'data']) {
      mkdirSync(join(home, folder))
      writeFileSync(join(home, folder, 'a b.csv'), '')
    }
    const [host, data] = ['host', 'data'].map((folder) => join(home, folder, 'a b.csv'))
    const mounted = (...args: ReadonlyArray<string>) => {
      const script = 'mount --bind "$0" "$1" && shift && exec "$@"'
      const command = [
        ...[`${host}`, `${data}`, process.execPath, main],
        ...exporting,
        `${data}`,
        ...args,
      ]
      return spawnSync('unshare', ['-m', 'sh', '-c', script, ...command], { encoding: 'utf8' })
    }
    const refused = mounted('--restart')
    expect(refused.stderr).toContain(
      'is a mount point, which cannot be replaced: mount its folder, or use --in-place',
    )
    expect([refused.status, statSync(`${host}`).size]).toEqual([2, 0])

    expect(mounted('--in-place').status).toBe(0)
    expect(statSync(`${host}`).size).toBeGreaterThan(0)
  })
})

it.skipIf(!isRoot)('a file that replaces another keeps its group and its permissions', () => {
  const out = join(home, 'group.csv')
  const run = () => execFileSync(process.execPath, [main, ...exporting, out, '--restart'])
  run()
  chownSync(out, 0, 4_321)
  chmodSync(out, 0o640)
  run()
  const { gid, mode } = statSync(out)
  expect([gid, mode & 0o777]).toEqual([4_321, 0o640])
})
