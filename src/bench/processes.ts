/** All that knows processes: what this one takes, and those that are started beside it. */
import { fork } from 'node:child_process'
import { availableParallelism, cpus } from 'node:os'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { filter, firstValueFrom, Observable, Subject, take } from 'rxjs'
import type { Environment } from '../api/limits.js'
import type { Millis } from '../stream/index.js'
import type { Machine } from './BenchResult.js'
import type { JudgedCount } from './judge.js'
import type { Usage } from './measure.js'

// this process

export const usage = (): Usage => {
  const { user, system } = process.cpuUsage()
  return { cpu: (user + system) / 1_000, memory: process.memoryUsage.rss() }
}

export const machine = (): Machine => ({
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: availableParallelism(),
  node: process.version,
})

/** The program that runs this one, and the variables that it was given. */
export const node = process.execPath
export const variables = (): NodeJS.ProcessEnv => process.env

/** The path of a program of this folder, from wherever the bundler has put this file. */
export const programOf = (name: 'sandboxProcess' | 'peerProcess'): string =>
  fileURLToPath(new URL(`../bench/${name}.js`, import.meta.url))

// the sandbox

/** Options of the embedded sandbox. */
export interface SandboxSettings {
  readonly environment: Environment
  readonly charges: number
  readonly batches: number
  readonly latency: Millis
  readonly jitter: Millis
}

export interface EmbeddedSandbox {
  readonly url: string
  /** Counts the requests of the first `ms` from the first one on. Default: all. */
  readonly count: (ms?: Millis) => Promise<JudgedCount>
}

/** Runs `work` against a sandbox in a process of its own, which ends with it. */
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
    child.once('exit', () => subscriber.error(new Error('the embedded sandbox ended')))
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
