/** Connects the commands to the process. No other file accesses the process. */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { asyncScheduler, filter, interval, merge, NEVER, Observable } from 'rxjs'
import { VERSION } from '../http/httpRequest.js'
import { EXIT_BY_SIGNAL } from './output.js'
import { run } from './program.js'
import type { Signal } from './Terminal.js'

/** Time, in ms, for which a failed command waits for a destination that hangs. */
const HANGING = 1_000

// `signal-exit`, with which log-update restores the cursor, runs after us and ends the process immediately if it finds no other
// listener. Our listener is therefore removed only after that check. The next signal then ends the process.
const on = (signal: Signal): Observable<Signal> =>
  new Observable((subscriber) => {
    const hear = (): void => subscriber.next(signal)
    process.on(signal, hear)
    return () => void setImmediate(() => process.off(signal, hear))
  })

/**
 * Emits once the npx or npm that started this process has ended, because a killed npm forwards no signal. Between the two
 * processes there may be npm's shell, which then continues, possibly as another program (`exec`). A command that another shell
 * runs in the background is meant to outlive that shell.
 */
const npmEnded = (): Observable<unknown> => {
  const { ppid } = process
  const parent = processOf(ppid)
  const isShell = /^(?:ba|da|a|z|k)?sh$|^busybox$/.test(parent?.name ?? '')
  return interval(1_000).pipe(
    filter(() => process.ppid !== ppid || (isShell && processOf(ppid)?.parent !== parent?.parent)),
  )
}

/** Returns the name and the parent of a process on Linux; `undefined` elsewhere. */
const processOf = (pid: number): { readonly name: string; readonly parent: string } | undefined => {
  try {
    const [, name, parent] =
      /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
    return name === undefined || parent === undefined ? undefined : { name, parent }
  } catch {
    return undefined
  }
}

/** Runs the command of this process, and sets its exit status. */
export const runProcess = async (): Promise<void> => {
  // Keeps V8's young generation small. Pages are garbage once they have been written, so a larger one would only take memory.
  // An export of five million rows as NDJSON peaks at 260 MiB instead of 370.
  setFlagsFromString('--semi-space-growth-factor=1')

  // Payment items outlive the young generation and then become garbage. With a heap that may only double, a hundred thousand
  // items peak at 180 MiB instead of 230. In an export, this would cost a tenth more CPU time.
  if (process.argv[2] === 'pay') setFlagsFromString('--heap-growing-percent=100')

  // Node 22 warns that `node:sqlite` is experimental
  const { emitWarning } = process
  process.emitWarning = (warning: string | Error, ...more: ReadonlyArray<never>): void => {
    if (!/^SQLite is an experimental feature/.test(String(warning))) emitWarning(warning, ...more)
  }

  // the writers of stdout handle its failures; without stderr, an export continues
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})

  process.exitCode = await run({
    args: process.argv.slice(2),
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signals: merge(on('SIGINT'), on('SIGTERM')),
    parentEnded: process.env.npm_command === undefined ? NEVER : npmEnded(),
    timer: asyncScheduler,
    version: VERSION,
  })

  // a stopped run waits neither for a stalled reader nor for pending work
  if (Object.values(EXIT_BY_SIGNAL).includes(process.exitCode)) process.exit()

  // any other failed run does not wait for a hanging destination once its output has been written
  const leave = (): void => {
    if (process.stdout.writableLength === 0) process.exit()
  }
  if (process.exitCode !== 0) setTimeout(leave, HANGING).unref()
}
