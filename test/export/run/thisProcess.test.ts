import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastValueFrom } from 'rxjs'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { disk } from '../../../src/export/file/FileSystem.js'
import { isExportError } from '../../../src/export/index.js'
import { thisProcess } from '../../../src/export/run/thisProcess.js'
import { exportOf, listOf, numbers, pagesOf } from './playing.js'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'process-'))
})
afterAll(() => rm(folder, { recursive: true }))

const exported = (out: string) =>
  lastValueFrom(
    exportOf(disk, listOf(pagesOf(6, 2)), {
      out: join(folder, out),
      begin: 'restart',
      runner: thisProcess(),
    }),
  )

it('of several runs of one output in a process, one is let through, and the others are told', async () => {
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => exported('one.ndjson')))
  const failed = all.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  expect(failed.length).toBeLessThan(8)
  for (const error of failed) {
    expect(isExportError(error)).toBe(true)
    expect(error).toMatchObject({ _tag: 'Locked' })
  }
  expect(numbers(await readFile(join(folder, 'one.ndjson'), 'utf8'))).toEqual([0, 1, 2, 3, 4, 5])
  expect((await readdir(folder)).sort()).toEqual(['one.ndjson', 'one.ndjson.manifest.json'])
})

it('is alive, and another one than itself each time', () => {
  const { pid, isAlive, since, booted = 0 } = thisProcess()
  expect(isAlive(pid)).toBe(true)
  expect(isAlive(2 ** 30)).toBe(false)
  expect(booted).toBeLessThan(since)
  expect(thisProcess().token).not.toBe(thisProcess().token)
})

// elsewhere nobody tells
it.skipIf(process.platform !== 'linux')(
  'is no more once it was killed, whoever has not asked',
  async () => {
    // a program that asks after nobody, and has a child
    const parent = spawn('sh', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => {
      parent.kill('SIGKILL')
    })
    const [line] = await once(parent.stdout, 'data')
    const pid = Number(line)
    const { isAlive } = thisProcess()
    expect(isAlive(pid)).toBe(true)
    process.kill(pid, 'SIGKILL')
    while (isAlive(pid)) await new Promise(setImmediate)
    expect(process.kill(pid, 0)).toBe(true)
    parent.kill('SIGKILL')
    await once(parent, 'close')
  },
)
