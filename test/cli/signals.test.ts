/** A signal while a command waits: it ends at once, with the status that shells expect. */
import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PassThrough } from 'node:stream'
import { of, Subject } from 'rxjs'
import { afterEach, expect, it, vi } from 'vitest'
import { exporting, KEYS } from './exporting.js'
import { cli, type Signal } from './support.js'

const { file, serve } = await exporting()
afterEach(() => vi.unstubAllEnvs())

it.each([
  ['call', ['call', 'charges.list']],
  ['doctor', ['doctor']],
  ['export', ['export', 'charges', '--out', file('a.csv')]],
  ['follow', ['follow', 'charges']],
  ['pay --discard', ['pay', '--run', 'a', '--discard']],
  ['sync', ['sync', 'charges', file('a.sqlite')]],
])('ends %s at the first request, with 143', async (_, args) => {
  const signals = new Subject<Signal>()
  const server = await serve({
    charges: 10,
    fault: () => {
      signals.next('SIGTERM')
      return { status: 500 }
    },
  })
  const { status } = await cli([...args, '--base-url', server.url, ...KEYS], { signals })
  expect(status).toBe(143)
})

it('ends pay while it reads a stdin that does not end, and leaves no file of it', async () => {
  const temporary = dirname(file('x'))
  vi.stubEnv('TMPDIR', temporary)
  const server = await serve({})
  const args = ['pay', '-', '--run', 'a', '--base-url', server.url, ...KEYS]
  const stdin = new PassThrough()
  stdin.write('request_id\n')
  const { status, stderr } = await cli(args, { stdin, signals: of('SIGINT') })
  expect(status).toBe(130)
  expect(stderr).toContain('stopped by Ctrl-C')
  expect(await readdir(temporary)).toEqual([])
})
