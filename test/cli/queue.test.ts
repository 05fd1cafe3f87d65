/** `--queue` and `worker`: wrong use, and what is missing; no line of it shows a password. */
import { execFile } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asyncScheduler, of } from 'rxjs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { hasRedis, startRedis } from '../../bench/services/redis.js'
import { builtCode } from '../support/built.js'
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
  [exporting('--queue', 'rediss://h', '--out', 'a.csv'), '--out should be a folder with --queue'],
  [exporting('--queue', 'rediss://h', '--out', 'd/', '--resume'), 'cannot be used with'],
  [exporting('--queue', 'redis://redis:6379', '--out', 'd/'), 'rediss:// (TLS), or allow'],
  [exporting('--queue', `redis://a:${PASSWORD}%@127.0.0.1`, '--out', 'd/'), 'escaped as'],
  [exporting('--queue', `redis://a:x@y/${PASSWORD}@127.0.0.1`, '--out', 'd/'), 'escaped as'],
  [exporting('--queue', `redis://a:x#${PASSWORD}@127.0.0.1`, '--out', 'd/'), '--queue should be'],
  [exporting('--queue', `redis://127.0.0.1/${PASSWORD}`, '--out', 'd/'), 'escaped as'],
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
    const { status, stderr } = await cli(args, { env, timer: asyncScheduler })
    expect(stderr).toMatch(/--queue: Redis at 127\.0\.0\.1:\d+ cannot be used: .*ECONNREFUSED/)
    expect(status).toBe(2)
    expectNoSecret(stderr)
  }
})

it('says that Redis does not answer; or ends at once, when it is told to', async () => {
  const sockets: Array<Socket> = []
  const server = createServer((socket) => sockets.push(socket.resume())).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const env = { PAYMENTS_QUEUE_URL: `redis://127.0.0.1:${port}` }
  for (const args of [exporting('--out', 'd/', '--queue'), ['worker', '--allow', 'd/', ...KEYS]]) {
    const { status, stderr } = await cli(args, { env })
    expect(stderr).toContain('cannot be used: no answer within 5 s')
    expect(status).toBe(2)
    const stopped = await cli(args, { env, signals: of('SIGTERM') })
    expect(stopped.status).toBe(143)
  }
})

it('names a package that is not installed', async () => {
  const home = mkdtempSync(join(tmpdir(), 'payments-rx-bare-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const built = await builtCode()
  cpSync(join(built, 'dist'), join(home, 'dist'), { recursive: true })
  copyFileSync(join(built, 'package.json'), join(home, 'package.json'))
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
  it('a cluster of several nodes: says so at once, and ends with 2', async () => {
    const nodes = await Promise.all(
      [1, 2].map(() => {
        const home = mkdtempSync(join(tmpdir(), 'payments-rx-cluster-'))
        onTestFinished(() => rmSync(home, { recursive: true, force: true }))
        return startRedis(undefined, ['--save', '', '--cluster-enabled', 'yes', '--dir', home])
      }),
    )
    onTestFinished(() => {
      for (const node of nodes) node.stop()
    })
    const [first, second] = nodes
    if (first === undefined || second === undefined) throw new Error('two were started')
    await first.send(['CLUSTER', 'ADDSLOTSRANGE', '0', '8191'])
    await second.send(['CLUSTER', 'ADDSLOTSRANGE', '8192', '16383'])
    await first.send(['CLUSTER', 'MEET', '127.0.0.1', `${second.port}`])
    const size = async () =>
      /cluster_size:(\d+)/.exec(String(await first.send(['CLUSTER', 'INFO'])))?.[1]
    while ((await size()) !== '2') await new Promise((resolve) => setTimeout(resolve, 20))
    const env = { PAYMENTS_QUEUE_URL: `redis://127.0.0.1:${first.port}` }
    for (const args of [
      exporting('--out', 'd/', '--queue'),
      ['worker', ...KEYS, '--allow', 'd/'],
    ]) {
      const { status, stderr } = await cli(args, { env, timer: asyncScheduler })
      expect(stderr).toContain('it is a cluster of 2 nodes with slots: use a Redis that is none')
      expect(status).toBe(2)
    }
  })

  it('is a finding of doctor, in words of Redis; one that works is one, too', async () => {
    const redis = await startRedis()
    onTestFinished(() => redis.stop())
    const env = { PAYMENTS_QUEUE_URL: `redis://127.0.0.1:${redis.port}` }
    expect((await cli(['doctor', ...KEYS], { env, timer: asyncScheduler })).stdout).toMatch(
      /^ok +queue +Redis at 127/m,
    )
    await redis.send(['REPLICAOF', '127.0.0.1', '1'])
    const { status, stdout } = await cli(['doctor', ...KEYS], { env, timer: asyncScheduler })
    expect(stdout).toMatch(/^failed +queue +.*READONLY/m)
    expect(status).toBe(1)
    const remote = { PAYMENTS_QUEUE_URL: 'redis://redis.example' }
    expect((await cli(['doctor', ...KEYS], { env: remote, timer: asyncScheduler })).stdout).toMatch(
      /^failed +queue +.*on another machine/m,
    )
  })

  it.each<[string, ReadonlyArray<string>, string]>([
    [
      'keys of others only',
      ['ACL', 'SETUSER', 'me', 'reset', 'on', '>x', '~app:*', '+@all'],
      'NOPERM|permission',
    ],
    [
      'no scripts',
      ['ACL', 'SETUSER', 'me', 'reset', 'on', '>x', '~*', '+@all', '-@scripting'],
      'NOPERM .*: the user needs the right to do this: check the ACL',
    ],
    [
      'no INFO',
      ['ACL', 'SETUSER', 'me', 'reset', 'on', '>x', '~*', '&*', '+@all', '-@dangerous'],
      'NOPERM .*: the user needs the right to do this: check the ACL',
    ],
    [
      'a full memory',
      ['CONFIG', 'SET', 'maxmemory', '1'],
      'OOM .*: its memory is full: raise maxmemory',
    ],
    [
      'too few replicas',
      ['CONFIG', 'SET', 'min-replicas-to-write', '1'],
      'NOREPLICAS .*: it has not enough replicas',
    ],
    [
      'a read-only replica',
      ['REPLICAOF', '127.0.0.1', '1'],
      'READONLY .*: it is a read-only replica: connect to the primary',
    ],
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
      const { status, stderr } = await cli(args, { env, timer: asyncScheduler })
      expect(stderr).toMatch(
        new RegExp(`--queue: Redis at 127\\.0\\.0\\.1:\\d+ cannot be used: .*(${words})`),
      )
      expect([status, stderr.split('\n').length]).toEqual([2, 2])
    }
  })
})
