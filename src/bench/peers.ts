/** Runs other programs against the same sandbox, one after another. Each is measured only by its arrivals. */
import { spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  concatMap,
  defaultIfEmpty,
  defer,
  filter,
  finalize,
  interval,
  map,
  type Observable,
  of,
  race,
  type SchedulerLike,
  Subject,
  switchMap,
  take,
} from 'rxjs'
import { oneLine } from '../decode/redact.js'
import { sandboxCredentials } from '../sandbox/options.js'
import type { Millis } from '../stream/index.js'
import { later } from '../stream/later.js'
import type { BenchPeer, Ceiling } from './BenchResult.js'
import type { JudgedCount } from './judge.js'
import {
  type EmbeddedSandbox,
  node,
  programOf,
  type SandboxSettings,
  variables,
  withSandbox,
} from './processes.js'

export interface PeerProgram {
  readonly name: string
  readonly command: string
  readonly args: ReadonlyArray<string>
}

export interface PeerSettings {
  readonly paths: ReadonlyArray<string>
  readonly perSecond: number
  readonly concurrency: number
  /** Number of concurrent requests for a loop that has no other limit. */
  readonly width: number
}

export interface Judging {
  readonly sandbox: SandboxSettings
  readonly ceiling: Ceiling
  readonly duration: Millis
  readonly timer: SchedulerLike
}

/** Time limit for the first request of a program. */
const START: Millis = 15_000
/** Time to wait for the last responses. */
const LAST_ANSWERS: Millis = 5_000

// programs

/** Returns the user's program, run by Node if it has a script's extension. */
export const userProgram = (path: string): PeerProgram =>
  /\.[cm]?[jt]s$/.test(path)
    ? { name: path, command: node, args: [path] }
    : { name: path, command: path, args: [] }

export const PEERS = ['fetch loop', 'p-queue', 'bottleneck'] as const

/** Returns a peer as a program; `undefined` if it is not installed in the current folder or a parent of it. */
export const peerProgram = (
  name: (typeof PEERS)[number],
  settings: PeerSettings,
): PeerProgram | undefined => {
  const program = (module: string): PeerProgram => ({
    name: name === 'fetch loop' ? `fetch loop, ${settings.width} concurrent` : name,
    command: node,
    args: [programOf('peerProcess'), name, module, JSON.stringify(settings)],
  })
  if (name === 'fetch loop') return program('')
  try {
    return program(pathToFileURL(createRequire(resolve('_')).resolve(name)).href)
  } catch {
    return undefined
  }
}

/** Returns the figures of a peer that did not run. */
export const leftOut = (name: string, why: string): BenchPeer => ({
  ...{ name, seconds: 0, rowsPerSecond: 0, requestsPerSecond: 0, share: 0, leftOut: why },
  arrivals: { requests: 0, refused: 0, rows: 0, mostOfEndpoint: 0, mostOfAll: 0 },
})

// judging

/** Runs a program against a fresh sandbox for `duration`, starting with its first request. Then stops the program. */
export const judge = (program: PeerProgram, judging: Judging): Observable<BenchPeer> =>
  withSandbox(judging.sandbox, (sandbox) =>
    defer(() => {
      const { environment } = judging.sandbox
      const child = spawn(program.command, program.args, {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: {
          ...variables(),
          PAYMENTS_BASE_URL: sandbox.url,
          PAYMENTS_CLIENT_ID: sandboxCredentials.clientId,
          PAYMENTS_API_KEY: sandboxCredentials.apiKey,
          PAYMENTS_ENVIRONMENT: environment,
        },
      })
      let output = ''
      child.stderr.on('data', (chunk) => {
        output = `${output}${chunk}`.slice(-2_000)
      })
      const trouble = new Subject<string>()
      child.once('error', ({ message }) => trouble.next(message))
      child.once('close', (code) => {
        const lines = output.trim().split('\n')
        const line = oneLine(lines.find((one) => /^\w*Error\b/.test(one)) ?? lines.at(-1) ?? '')
        trouble.next(code === 0 ? '' : `exited with status ${code}: ${line}`)
      })
      return race(trouble, watch(sandbox, judging)).pipe(
        take(1),
        switchMap(async (trouble) => {
          if (trouble !== '') return leftOut(program.name, trouble)
          const { duration, ceiling } = judging
          return contenderOf(program.name, await sandbox.count(duration), duration, ceiling)
        }),
        finalize(() => {
          child.kill()
          // a program that does not stop must not hold us up
          child.stderr.destroy()
          child.unref()
        }),
      )
    }),
  )

/** Emits once the first requests of `duration` have got responses; emits a text if no request was sent. */
const watch = (sandbox: EmbeddedSandbox, { duration, timer }: Judging): Observable<string> =>
  poll(START, timer, async () => (await sandbox.count()).requests > 0).pipe(
    switchMap((hasBegun) =>
      hasBegun
        ? later(duration, timer).pipe(
            switchMap(() =>
              poll(LAST_ANSWERS, timer, async () => (await sandbox.count(duration)).isSettled),
            ),
            map(() => ''),
          )
        : of('sent no requests'),
    ),
  )

const POLL: Millis = 100

/** Polls until the condition holds, for a limited number of ms. */
const poll = (
  most: Millis,
  timer: SchedulerLike,
  holds: () => Promise<boolean>,
): Observable<boolean> =>
  interval(POLL, timer).pipe(
    take(Math.ceil(most / POLL)),
    concatMap(holds),
    filter((isTrue) => isTrue),
    defaultIfEmpty(false),
    take(1),
  )

const contenderOf = (
  name: string,
  count: JudgedCount,
  duration: Millis,
  ceiling: Ceiling,
): BenchPeer => {
  const { isSettled: _, ms, ...arrivals } = count
  if (arrivals.requests === 0) return leftOut(name, 'sent no requests')
  // a program that ended by itself had less time
  const seconds = (ms > duration - 2_000 ? duration : Math.max(1_000, ms)) / 1_000
  const requestsPerSecond = arrivals.requests / seconds
  return {
    ...{ name, seconds, requestsPerSecond, arrivals },
    rowsPerSecond: arrivals.rows / seconds,
    share: (arrivals.requests - arrivals.refused) / seconds / ceiling.perSecond,
  }
}
