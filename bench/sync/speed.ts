/**
 * The number of rows per second that a sync writes, and the memory that it takes in addition to that of an export to a file.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { report } from '../result.ts'
import type { Destination } from './destinations.ts'

/** Serves from a separate thread, because the server is not measured. */
const SERVER = `
  import { parentPort, workerData } from 'node:worker_threads'
  const { listen } = await import(workerData.sandbox)
  const { url } = await listen({ charges: workerData.rows, limits: false })
  parentPort.postMessage(url)`

const serve = async (
  rows: number,
): Promise<{ readonly url: string; readonly stop: () => Promise<unknown> }> => {
  const sandbox = new URL('../../dist/sandbox/index.js', import.meta.url).href
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(SERVER)}`), {
    workerData: { rows, sandbox },
  })
  const url = await new Promise<string>((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  return { url, stop: () => worker.terminate() }
}

interface Measured {
  readonly seconds: number
  /** CPU of the process. */
  readonly cpuSeconds: number
  readonly peakMiB: number
}

/** Runs a command, and samples its memory while it runs. Linux only. */
const run = (args: ReadonlyArray<string>): Promise<Measured> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    let peakMiB = 0
    let cpuSeconds = 0
    const looking = setInterval(() => {
      try {
        const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
        const highest = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024
        peakMiB = Math.max(peakMiB, highest) // a process that has ended reports nothing
        const stat = readFileSync(`/proc/${child.pid}/stat`, 'latin1')
          .split(') ')
          .at(-1)
          ?.split(' ')
        cpuSeconds = (Number(stat?.[11]) + Number(stat?.[12])) / 100
      } catch {
        // it has already ended
      }
    }, 20)
    child.once('error', reject)
    child.once('close', (status) => {
      clearInterval(looking)
      if (status !== 0) return reject(new Error(`status ${status}`))
      resolve({ seconds: (performance.now() - began) / 1_000, cpuSeconds, peakMiB })
    })
  })

export const measure = async (
  cli: string,
  kind: string,
  { to, more, remove }: Destination,
  rows = 500_000,
): Promise<void> => {
  const { url, stop } = await serve(rows)
  const connection = [
    ...['--base-url', url, '--client-id', 'sandbox', '--api-key', 'sandbox-key'],
    ...['--environment', 'test', '--no-limits', '--parallel', '4', '--quiet'],
  ]
  const folder = mkdtempSync(join(tmpdir(), 'bench-sync-'))
  const file = await run([
    cli,
    'export',
    'charges',
    '--out',
    join(folder, 'a.ndjson'),
    ...connection,
  ])
  const first = await run([cli, 'sync', 'charges', to, '--sweep', 'off', ...connection, ...more])
  const again = await run([
    ...[cli, 'sync', 'charges', to, '--sweep', 'off', '--lookback', '5000d'],
    ...[...connection, ...more],
  ])
  const row = ({ seconds, cpuSeconds, peakMiB }: Measured) => ({
    'rows/s': Math.round(rows / seconds),
    'rows/s of CPU': Math.round(rows / cpuSeconds),
    'peak MiB': Math.round(peakMiB),
    'more than the export': Math.round(peakMiB - file.peakMiB),
  })
  const perSecond = ({ seconds }: Measured) => rows / seconds
  report({
    subject: `${rows.toLocaleString('en-US')} charges to ${kind}`,
    unit: 'rows/s',
    better: 'higher',
    contenders: [
      { name: 'first night', role: 'ours', value: perSecond(first) },
      { name: 'all rows again', role: 'ours', value: perSecond(again) },
      { name: 'export to NDJSON', role: 'floor', value: perSecond(file) },
    ],
  })
  console.log(`${kind}, ${rows.toLocaleString('en-US')} charges`)
  console.table({
    'export to NDJSON': row(file),
    'first night': row(first),
    'all rows again': row(again),
  })
  rmSync(folder, { recursive: true })
  await remove()
  await stop()
}
