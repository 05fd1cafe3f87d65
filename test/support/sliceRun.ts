/**
 * An export in slices by the commands as they are installed: a Redis, a sandbox, and worker processes that are killed and
 * frozen at requests that arrive at the sandbox; those that were frozen are continued.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { readManifest } from 'payments-rx/export'
import { listen, sandboxCredentials } from 'payments-rx/sandbox'
import { type Redis, startRedis } from '../../bench/services/redis.ts'

// model

export interface SliceRun {
  /** The file of the command. */
  readonly cli: string
  /** Where to, with a slash. */
  readonly out: string
  readonly rows: number
  readonly slices: number
  readonly workers: number
  readonly kills: number
  readonly freezes: number
  /** Pages between two of these events, at most. */
  readonly apart: number
  readonly pageSize: number
  /** From a request to its answer, in ms. */
  readonly latency: number
  /** Commands keep the limits of the account, and share them. */
  readonly isShared?: boolean
  readonly lease: string
  /** That of Redis. */
  readonly password?: string
  /** From 0 up to 1. */
  readonly random: () => number
}

export interface SliceOutcome {
  /** Status of the command that waits. */
  readonly status: number | null
  readonly stderr: string
  /** Output of the workers. */
  readonly said: ReadonlyArray<string>
  readonly kills: number
  readonly freezes: number
  /** Rows in the files of the manifest. */
  readonly rows: number
  readonly distinct: number
  /** Runs in the manifest, and those that are complete. */
  readonly runs: number
  readonly complete: number
  /** Workers that were shut out of a slice. */
  readonly fenced: number
  /** The hashes in Redis, as text. */
  readonly kept: string
  /** Status of `verify`, after all workers have ended. */
  readonly verified: number | null
  /** From the first page of a worker to the manifest, in ms. */
  readonly ms: number
}

// functions

export const sliceRun = async (run: SliceRun): Promise<SliceOutcome> => {
  const { cli, out, random } = run
  const redis = await startRedis()
  const { password } = run
  if (password !== undefined) await redis.send(['CONFIG', 'SET', 'requirepass', password])
  let [pages, kills, freezes] = [0, 0, 0]
  let due = Number.POSITIVE_INFINITY
  const next = (): number => pages + 1 + Math.floor(random() * run.apart)

  const workers: Array<ChildProcess> = []
  const said: Array<string> = []
  const ends: Array<Promise<unknown>> = []
  const busy = new Set<ChildProcess>()
  const frozen: Array<{ readonly child: ChildProcess; readonly at: number }> = []

  const sandbox = await listen({
    charges: run.rows,
    latency: run.latency,
    ...(run.isShared ? {} : { limits: false }),
    environment: 'production',
    faults: ({ route }) => {
      if (route !== 'GET /api/v1/charges') return undefined
      pages++
      thaw((at) => pages > at + run.apart * 4)
      if (pages >= due) {
        due = next()
        disturb()
      }
      return undefined
    },
  })

  const env = {
    ...process.env,
    PAYMENTS_BASE_URL: sandbox.url,
    PAYMENTS_CLIENT_ID: sandboxCredentials.clientId,
    PAYMENTS_API_KEY: sandboxCredentials.apiKey,
    PAYMENTS_ENVIRONMENT: 'production',
    PAYMENTS_QUEUE_URL: `redis://:${encodeURIComponent(password ?? '')}@127.0.0.1:${redis.port}`,
  }
  const started: Array<ChildProcess> = []
  const start = (args: ReadonlyArray<string>): ChildProcess => {
    const child = spawn(process.execPath, [cli, ...args], {
      env,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    started.push(child)
    return child
  }
  const common = [
    ...['--queue', '--lease', run.lease, '--page-size', `${run.pageSize}`],
    ...(run.isShared ? [] : ['--no-limits']),
  ]

  const startWorker = (): void => {
    const child = start(['worker', '--allow', run.out, ...common])
    child.stderr?.on('data', (text) => {
      said.push(String(text))
      if (/: (begun|resumed)/.test(text)) busy.add(child)
      if (/: (complete|given back)/.test(text)) busy.delete(child)
    })
    workers.push(child)
    ends.push(once(child, 'exit'))
  }

  /** Kills or freezes a worker, and starts another one. */
  const disturb = (): void => {
    const left = { kills: run.kills - kills, freezes: run.freezes - freezes }
    if (left.kills + left.freezes === 0) return
    const working = workers.filter((child) => busy.has(child))
    const child = working[Math.floor(random() * working.length)]
    if (child === undefined) return
    workers.splice(workers.indexOf(child), 1)
    if (random() * (left.kills + left.freezes) < left.kills) {
      kills++
      child.kill('SIGKILL')
    } else {
      freezes++
      child.kill('SIGSTOP')
      frozen.push({ child, at: pages })
    }
    startWorker()
  }

  const thaw = (isDue: (at: number) => boolean): void => {
    for (const one of frozen.filter(({ at }) => isDue(at))) {
      frozen.splice(frozen.indexOf(one), 1)
      workers.push(one.child)
      one.child.kill('SIGCONT')
    }
  }

  try {
    for (let n = 0; n < run.workers; n++) startWorker()
    const exporting = start([
      ...['export', 'charges', ...common, '--out', out, '--slices', `${run.slices}`],
    ])
    let stderr = ''
    let began = performance.now()
    exporting.stderr?.on('data', (text) => {
      stderr += text
      if (due === Number.POSITIVE_INFINITY && stderr.includes('for the workers')) {
        began = performance.now()
        due = next()
      }
    })
    const [status] = await once(exporting, 'exit')
    const ms = performance.now() - began

    thaw(() => true)
    // those that were frozen go on, before they are told to end
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    for (const child of workers) child.kill('SIGTERM')
    await Promise.all(ends)
    const [verified] = await once(start(['verify', out]), 'exit')
    const counted = status === 0 ? await countIn(out) : NOTHING
    const fenced = said.filter((text) => text.includes('is of another run now')).length
    const kept = await hashesIn(redis)
    return { status, stderr, said, kept, kills, freezes, fenced, ...counted, verified, ms }
  } finally {
    for (const child of started) child.kill('SIGKILL')
    await sandbox.close()
    redis.stop()
  }
}

const NOTHING = { rows: 0, distinct: 0, runs: 0, complete: 0 }

const hashesIn = async ({ send }: Pick<Redis, 'send'>): Promise<string> => {
  const keys = await send(['KEYS', '*'])
  const all = (Array.isArray(keys) ? keys : []).map((key) =>
    send(['HGETALL', String(key)]).catch(() => []),
  )
  return JSON.stringify([keys, await Promise.all(all)])
}

/** Counts rows and ids in the files of a manifest. */
const countIn = async (out: string) => {
  const path = join(out, '_manifest.json')
  const { runs } = readManifest(path)(await readFile(path, 'utf8'))
  const files = runs.flatMap((one) => one.files).map((file) => `'${join(out, file.path)}'`)
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const found = await connection.runAndReadAll(
    `select count(*), count(distinct id) from read_json([${files.join(',')}],
       format = 'newline_delimited', columns = {id: 'VARCHAR'})`,
  )
  const [rows, distinct] = found.getRows()[0]?.map(Number) ?? []
  return {
    rows: rows ?? 0,
    distinct: distinct ?? 0,
    runs: runs.length,
    complete: runs.filter(({ complete }) => complete).length,
  }
}
