/** Runs a suite in a separate process, prints something at least every few seconds, and collects its figures. */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Result } from './result.ts'
import type { Suite } from './suites.ts'

export interface Ran {
  readonly args: ReadonlyArray<string>
  readonly seconds: number
  readonly status: number
  readonly results: ReadonlyArray<Result>
  /** The last lines that it printed. */
  readonly tail: string
}

export interface RunOptions {
  /** Shown while nothing else is shown. */
  readonly title: string
  /** True to print the output of the suite. */
  readonly isPrinted: boolean
}

/** Longest silence, in ms. */
const SILENCE = 1_500
const TAIL = 2_000

const parsed = (file: string): ReadonlyArray<Result> =>
  existsSync(file)
    ? readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : []

/** Shows on stderr that a suite is running: one changing line on a terminal, otherwise one dot at a time. */
const watch = (title: string) => {
  const began = performance.now()
  const isTerminal = process.stderr.isTTY
  let last = began
  let hasLine = false
  const clear = (): void => {
    if (hasLine) process.stderr.write(isTerminal ? '\r\x1b[K' : '\n')
    hasLine = false
    last = performance.now()
  }
  const show = (): void => {
    if (performance.now() - last < SILENCE) return
    const seconds = Math.round((performance.now() - began) / 1_000)
    if (isTerminal) process.stderr.write(`\r\x1b[K${title} … ${seconds} s`)
    else process.stderr.write(hasLine ? '.' : `${title} … ${seconds} s `)
    hasLine = true
    if (!isTerminal) last = performance.now()
  }
  const timer = setInterval(show, 250)
  return {
    /** Clears the line for other text. */
    clear,
    stop: () => {
      clearInterval(timer)
      clear()
      return (performance.now() - began) / 1_000
    },
  }
}

/** Runs `bench/NAME/index.ts` with the arguments. Never rejects; resolves with the status of a suite that fails. */
export const runSuite = (
  { name }: Suite,
  args: ReadonlyArray<string>,
  { title, isPrinted }: RunOptions,
): Promise<Ran> => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const file = join(folder, 'results.jsonl')
  const script = fileURLToPath(new URL(`./${name}/index.ts`, import.meta.url))
  const colours = process.stdout.isTTY && isPrinted ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' }
  const child = spawn(process.execPath, [script, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...colours, BENCH_RESULTS: file },
  })
  const progress = watch(title)
  let tail = ''
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    from.on('data', (bytes: Buffer) => {
      tail = (tail + bytes).slice(-TAIL)
      if (!isPrinted) return
      progress.clear()
      to.write(bytes)
    })
  }
  return new Promise((resolve) => {
    const end = (status: number, said = tail): void => {
      const seconds = progress.stop()
      const results = status === 0 ? parsed(file) : []
      rmSync(folder, { recursive: true })
      resolve({ args, seconds, status, results, tail: said })
    }
    child.once('error', (error) => end(1, String(error)))
    child.once('close', (status) => end(status ?? 1))
  })
}
