/** `--queue` and `worker`: wrong use, and what is missing; no line of it shows a password. */
import { execFile } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasRedis, startRedis } from '../../bench/services/redis.js'
import { buildCode } from '../../scripts/build.js'
import { expectNoSecret, secrets } from '../support/secrets.js'
import { cli } from './support.js'

const root = fileURLToPath(new URL('../..', import.meta.url))

const KEYS = ['--base-url', 'http://127.0.0.1:9', '--client-id', 'a', '--api-key', 'b']
const PASSWORD = encodeURIComponent(secrets.clientSecret)

const exporting = (...more: ReadonlyArray<string>) => ['export', 'charges', ...KEYS, ...more]

it.each([
  [exporting('--queue', `http://:${PASSWORD}@host`, '--out', 'd/'), '--queue should be redis://'],
  [exporting('--queue', `redis:${PASSWORD}`, '--out', 'd/'), '--queue should be redis://HOST'],
  [exporting('--queue', '--out', 'd/'), '--queue or PAYMENTS_QUEUE_URL should have the URL'],
  [exporting('--queue', 'redis://h', '--out', 'a.csv'), '--out should be a folder with --queue'],
  [exporting('--queue', 'redis://h', '--out', 'd/', '--resume'), 'cannot be used with'],
  [exporting('--slices', '3', '--out', 'd/'), '--slices goes with --queue'],
  [['worker', ...KEYS], '--allow <prefix>'],
  [['worker', ...KEYS, '--allow', 'd'], 'with a slash at its end'],
  [
    ['worker', ...KEYS, '--allow', 'd/'],
    '--queue or PAYMENTS_QUEUE_URL should have the URL of a Redis',
  ],
  [['worker', '--allow', 'd/', '--queue', `redis://:${PASSWORD}@h`], 'PAYMENTS_BASE_URL is needed'],
])('%j is refused', async (args, message) => {
  const { status, stderr } = await cli(args)
  expect(stderr).toContain(message)
  expect([status, stderr.split('\n').length]).toEqual([2, 2])
  expectNoSecret(stderr)
})

it('says that there is no Redis, without the password', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  await new Promise((resolve) => server.close(resolve))
  for (const args of [exporting('--out', 'd/', '--queue'), ['worker', '--allow', 'd/', ...KEYS]]) {
    const env = { PAYMENTS_QUEUE_URL: `redis://me:${PASSWORD}@127.0.0.1:${port}` }
    const { status, stderr } = await cli(args, { env })
    expect(stderr).toMatch(/--queue: Redis at 127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED/)
    expect(status).toBe(2)
    expectNoSecret(stderr)
  }
})

it('names a package that is not installed', async () => {
  const home = mkdtempSync(join(tmpdir(), 'payments-rx-bare-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  await buildCode(join(home, 'dist'))
  copyFileSync(join(root, 'package.json'), join(home, 'package.json'))
  const modules = join(root, 'node_modules')
  for (const name of readdirSync(modules).filter((name) => !/^(\.|bullmq$)/.test(name))) {
    mkdirSync(dirname(join(home, 'node_modules', name)), { recursive: true })
    symlinkSync(join(modules, name), join(home, 'node_modules', name))
  }
  const queue = ['--allow', 'd/', '--queue', 'redis://127.0.0.1:9']
  const args = [join(home, 'dist/cli/main.js'), 'worker', ...KEYS, ...queue]
  const stderr = await new Promise((resolve) => {
    execFile(process.execPath, args, (_error, _stdout, text) => resolve(text))
  })
  expect(stderr).toBe('payments-rx: --queue needs the package bullmq: npm install bullmq ioredis\n')
})

describe.skipIf(!hasRedis)('a Redis that refuses what a queue needs', () => {
  it.each<[string, ReadonlyArray<string>, string]>([
    [
      'keys of others only',
      ['ACL', 'SETUSER', 'me', 'reset', 'on', '>x', '~app:*', '+@all'],
      'NOPERM|permission',
    ],
    [
      'no scripts',
      ['ACL', 'SETUSER', 'me', 'reset', 'on', '>x', '~*', '+@all', '-@scripting'],
      'NOPERM',
    ],
    [
      'no INFO',
      ['ACL', 'SETUSER', 'me', 'reset', 'on', '>x', '~*', '&*', '+@all', '-@dangerous'],
      'NOPERM',
    ],
    ['a full memory', ['CONFIG', 'SET', 'maxmemory', '1'], 'OOM'],
    ['too few replicas', ['CONFIG', 'SET', 'min-replicas-to-write', '1'], 'NOREPLICAS'],
    ['a read-only replica', ['REPLICAOF', '127.0.0.1', '1'], 'READONLY'],
  ])('%s: says so at once, and ends with 2', async (_, command, words) => {
    const redis = await startRedis()
    onTestFinished(() => redis.stop())
    await redis.send(command)
    const user = command[0] === 'ACL' ? 'me:x@' : ''
    const env = { PAYMENTS_QUEUE_URL: `redis://${user}127.0.0.1:${redis.port}` }
    for (const args of [
      exporting('--out', 'd/', '--queue'),
      ['worker', ...KEYS, '--allow', 'd/'],
    ]) {
      const { status, stderr } = await cli(args, { env })
      expect(stderr).toMatch(
        new RegExp(`--queue: Redis at 127\\.0\\.0\\.1:\\d+ cannot be used: .*(${words})`),
      )
      expect([status, stderr.split('\n').length]).toEqual([2, 2])
    }
  })
})
