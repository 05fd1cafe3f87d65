/** `export` into a named pipe, with and without a reader: by the built command, in a process. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { builtCommand } from '../support/built.js'
import { folder } from './support.js'

const main = await builtCommand()
const file = await folder()

const EXPORT = 'export charges --sandbox --rows 3000 --in-place --out'.split(' ')

const exporting = (pipe: string, ...args: ReadonlyArray<string>) =>
  spawn(process.execPath, [main, ...EXPORT, pipe, ...args], { stdio: 'ignore' })

const namedPipe = (name: string): string => {
  const pipe = file(name)
  execFileSync('mkfifo', [pipe])
  return pipe
}

it.skipIf(process.platform === 'win32')('ends at its deadline without a reader', async () => {
  const run = exporting(namedPipe('a.ndjson'), '--deadline', '1s')
  onTestFinished(() => void run.kill('SIGKILL'))
  expect(await once(run, 'exit')).toEqual([1, null])
})

it.skipIf(process.platform === 'win32')('writes all rows once a pipe has a reader', async () => {
  const pipe = namedPipe('b.ndjson')
  const run = exporting(pipe)
  const reader = spawn('sh', ['-c', 'sleep 1; wc -l < "$0"', pipe])
  const [lines] = await Promise.all([once(reader.stdout, 'data'), once(run, 'exit')])
  expect(Number(lines)).toBe(3_000)
  expect(run.exitCode).toBe(0)
})
