/** The command as it is installed: what only a process of its own shows. */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { afterAll, beforeAll, expect, it } from 'vitest'
import config from '../../rolldown.config.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
let home = ''

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'payments-rx-main-'))
  await build({ ...config, cwd: root, output: { dir: join(home, 'dist/cli') } })
  copyFileSync(join(root, 'package.json'), join(home, 'package.json'))
  symlinkSync(join(root, 'node_modules'), join(home, 'node_modules'))
}, 60_000)

afterAll(() => rmSync(home, { recursive: true }))

/** With the exit status. */
const started = (args: ReadonlyArray<string>, stderr: 'pipe' | number) => {
  const child = spawn(process.execPath, [join(home, 'dist/cli/main.js'), ...args], {
    stdio: ['ignore', 'ignore', stderr],
  })
  const status = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { child, status }
}

const linesOf = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1

// what is always full is a device of Linux
it.skipIf(process.platform !== 'linux')(
  'writes all rows when stderr is full',
  async () => {
    const out = join(home, 'full.ndjson')
    const args = ['export', 'charges', '--sandbox', '--rows', '3000', '--out', out]
    const { status } = started(args, openSync('/dev/full', 'w'))
    expect(await status).toBe(0)
    expect(linesOf(out)).toBe(3_000)
  },
  60_000,
)

it('writes all rows when nobody hears how it goes', async () => {
  const out = join(home, 'deaf.ndjson')
  const args = ['export', 'charges', '--sandbox', '--rows', '3000', '--out', out]
  const { child, status } = started(args, 'pipe')
  child.stderr?.destroy()
  expect(await status).toBe(0)
  expect(linesOf(out)).toBe(3_000)
}, 60_000)
