/** The services of docs/many-machines.md, as processes of this machine instead of containers: the same commands and variables. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hasRedis, type Redis, startRedis } from '../../bench/services/redis.js'
import { builtCommand } from '../support/built.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const page = readFileSync(join(root, 'docs/many-machines.md'), 'utf8')
const [, compose = ''] = /^```yaml\n([\s\S]*?)^```/m.exec(page) ?? []

interface Service {
  readonly command: ReadonlyArray<string>
  readonly replicas: number
}

const service = (name: string): Service => {
  const [, text = ''] = new RegExp(`^  ${name}:\\n((?: {4}.*\\n|\\n)*)`, 'm').exec(compose) ?? []
  const [, command = ''] = /^ {4}command: (.*)$/m.exec(text) ?? []
  const [, replicas = '1'] = /^ {6}replicas: (\d+)$/m.exec(text) ?? []
  return { command: command.split(' '), replicas: Number(replicas) }
}

const ROWS = 60_000
const WAITING = expect.stringContaining('waiting for slices')

const variables = Object.fromEntries(
  Array.from(compose.matchAll(/^ {6}([A-Z_]+): "?(.*?)"?$/gm), ([, name, value]) => [name, value]),
)

describe.skipIf(!hasRedis)('three workers, a Redis and the sandbox', () => {
  let home = ''
  let main = ''
  let redis: Redis
  const running: Array<ChildProcess> = []

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'payments-rx-many-'))
    main = await builtCommand()
    const [server, ...flags] = service('redis').command
    expect(server).toBe('redis-server')
    redis = await startRedis(undefined, [...flags, '--dir', home])
  })
  afterAll(() => {
    for (const child of running) child.kill('SIGKILL')
    redis?.stop()
    rmSync(home, { recursive: true })
  })

  /** Where a container finds a name or a volume, a process has a port or a folder; and the list is shorter. */
  const here = (text: string, sandbox: string): string =>
    text
      .replace('redis://redis:6379', `redis://127.0.0.1:${redis.port}`)
      .replace('http://sandbox:8080', sandbox)
      .replace(/^8080$/, '0')
      .replace(/^200000$/, `${ROWS}`)
      .replace(/^0\.0\.0\.0$/, '127.0.0.1')
      .replace('/exports/', `${home}/exports/`)

  const start = (args: ReadonlyArray<string>, sandbox = ''): ChildProcess => {
    const own = Object.entries(variables).map(([name, value]) => [name, here(`${value}`, sandbox)])
    const child = spawn(process.execPath, [main, ...args.map((arg) => here(arg, sandbox))], {
      env: { ...process.env, ...Object.fromEntries(own) },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running.push(child)
    return child
  }

  it('export a list together', { timeout: 180_000 }, async () => {
    const serving = start(service('sandbox').command)
    const [address] = await once(serving.stdout ?? serving, 'data')
    const [sandbox = ''] = /http:\S+:\d+/.exec(String(address)) ?? []

    const { command, replicas } = service('worker')
    expect(replicas).toBe(3)
    const workers = Array.from({ length: replicas }, () => start(command, sandbox))
    const said = workers.map(() => '')
    for (const [i, { stderr }] of workers.entries()) {
      stderr?.on('data', (text) => {
        said[i] += text
      })
    }
    await vi.waitFor(() => expect(said).toEqual(said.map(() => WAITING)), { timeout: 60_000 })
    const planner = start(service('export').command, sandbox)
    const [status] = await once(planner, 'exit')
    for (const worker of workers) worker.kill('SIGTERM')
    const ends = await Promise.all(workers.map(async (worker) => (await once(worker, 'exit'))[0]))
    expect({ status, ends }).toEqual({ status: 0, ends: [143, 143, 143] })
    for (const text of said) expect(text).toMatch(/slice \d+ of 12 .* complete/)

    const verifying = start(['verify', '/exports/charges/'])
    expect((await once(verifying, 'exit'))[0]).toBe(0)
    const manifest = JSON.parse(readFileSync(`${home}/exports/charges/_manifest.json`, 'utf8'))
    const rows = manifest.runs.map((run: { readonly rows: number }) => run.rows)
    expect(rows.reduce((a: number, b: number) => a + b)).toBe(ROWS)
  })
})
