/** Processes: the resources of this one, and child processes. */
import { fork } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { filter, firstValueFrom, Observable, Subject, take } from 'rxjs'
import type { Environment } from '../api/limits.js'
import type { IO } from '../fp.js'
import type { Millis } from '../stream/index.js'
import type { Machine } from './BenchResult.js'
import type { JudgedCount } from './judge.js'
import type { Usage } from './measure.js'

// this process

/** Sampling interval of the event loop, in ms. */
const RESOLUTION = 10

export const watchProcess = (): { readonly usage: IO<Usage>; readonly close: () => void } => {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION })
  delays.enable()
  const usage = (): Usage => {
    const { user, system } = process.cpuUsage()
    const fired = delays.count
    const late = fired === 0 ? 0 : fired * Math.max(0, delays.mean / 1e6 - RESOLUTION)
    return {
      cpu: (user + system) / 1_000,
      memory: process.memoryUsage.rss(),
      timers: { fired, late },
    }
  }
  return { usage, close: () => delays.disable() }
}

export const machine = (): Machine => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  node: process.version,
})

/** The executable that runs this process, and the variables that this process has received. */
export const node = process.execPath
export const variables = (): NodeJS.ProcessEnv => process.env

/** Returns the path of a program in this folder, wherever our build has put this file. */
export const programOf = (name: 'sandboxProcess' | 'peerProcess'): string => {
  const here = import.meta.url // named, because webpack treats `new URL(..., import.meta.url)` as an asset to minify
  return fileURLToPath(new URL(`../bench/${name}.js`, here))
}

// the sandbox

export interface SandboxSettings {
  readonly environment: Environment
  readonly charges: number
  readonly batches: number
  readonly latency: Millis
  readonly jitter: Millis
}

export interface EmbeddedSandbox {
  readonly url: string
  /** Counts the requests within `ms` of the first one. Default: all. */
  readonly count: (ms?: Millis) => Promise<JudgedCount>
}

/** Runs `work` against a sandbox in a separate process. The sandbox ends together with the work. */
export const withSandbox = <A>(
  settings: SandboxSettings,
  work: (sandbox: EmbeddedSandbox) => Observable<A>,
): Observable<A> =>
  new Observable((subscriber) => {
    const child = fork(programOf('sandboxProcess'), {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const messages = new Subject<unknown>()
    child.on('message', (message: unknown) => messages.next(message))
    const started = messages.pipe(filter(isStarted), take(1)).subscribe(({ url }) => {
      subscriber.add(work({ url, count }).subscribe(subscriber))
    })
    const count = async (ms?: Millis): Promise<JudgedCount> => {
      const counted = firstValueFrom(messages.pipe(filter(isCount)))
      child.send(ms ?? 'all')
      return counted
    }
    child.once('error', (error) => subscriber.error(error))
    child.once('exit', () =>
      subscriber.error(new Error('the embedded sandbox exited unexpectedly')),
    )
    child.send(settings)
    subscriber.add(started)
    subscriber.add(() => {
      child.removeAllListeners('exit')
      child.kill()
    })
  })

const isStarted = (u: unknown): u is { readonly url: string } =>
  typeof u === 'object' && u !== null && 'url' in u

const isCount = (u: unknown): u is JudgedCount =>
  typeof u === 'object' && u !== null && 'isSettled' in u
