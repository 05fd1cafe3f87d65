/** The only file that knows the process. */
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { setFlagsFromString } from 'node:v8'
import { asyncScheduler, filter, interval, merge, NEVER, Observable } from 'rxjs'
import { VERSION } from '../http/httpRequest.js'
import { EXIT_BY_SIGNAL } from './output.js'
import { run } from './program.js'
import type { Signal } from './Terminal.js'

/** A command that failed waits this long for a destination that hangs, in ms. */
const HANGING = 1_000

// `signal-exit`, by which log-update shows the cursor again, is called after us, and ends the process at once if it
// finds no other listener: ours goes after that look. The next signal then does end the process.
const on = (signal: Signal): Observable<Signal> =>
  new Observable((subscriber) => {
    const hear = (): void => subscriber.next(signal)
    process.on(signal, hear)
    return () => void setImmediate(() => process.off(signal, hear))
  })

/**
 * Emits once the npx or npm that started this process has ended: it passes no signal on when it is killed. Between the two
 * may be the shell that it runs a command with, which then goes on, perhaps as another program (`exec`). A command that
 * another shell puts into the background is meant to outlive it.
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
  // Keeps V8's young generation small: pages are garbage once they are written, so a larger one only takes memory. An
  // export of five million rows as NDJSON peaks at 260 MiB, in place of 370.
  setFlagsFromString('--semi-space-growth-factor=1')

  // Items of payments outlive the young generation and then are garbage: a heap that may only double peaks at 180 MiB for a
  // hundred thousand of them, in place of 230. An export would pay for it with a tenth more processor time.
  if (process.argv[2] === 'pay') setFlagsFromString('--heap-growing-percent=100')

  // Node 22 says of `node:sqlite` that it is new
  const { emitWarning } = process
  process.emitWarning = (warning: string | Error, ...more: ReadonlyArray<never>): void => {
    if (!/^SQLite is an experimental feature/.test(String(warning))) emitWarning(warning, ...more)
  }

  // failures of stdout are seen by its writers; without stderr, an export continues
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

  // a stopped run waits neither for a reader that takes nothing, nor for what it has left behind
  if (Object.values(EXIT_BY_SIGNAL).includes(process.exitCode)) process.exit()

  // one that did not succeed otherwise does not wait for a destination that hangs, once its output is taken
  const leave = (): void => {
    if (process.stdout.writableLength === 0) process.exit()
  }
  if (process.exitCode !== 0) setTimeout(leave, HANGING).unref()
}
