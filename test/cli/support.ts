import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { NEVER, type Observable, type SchedulerLike } from 'rxjs'
import { afterAll, afterEach } from 'vitest'
import { run } from '../../src/cli/program.js'
import type { Signal, Terminal } from '../../src/cli/Terminal.js'
import { withoutUndefined } from '../../src/fp.js'
import { idleClock } from '../support/idleClock.js'

export type { Signal }

/** Keeps what is written to it. */
const keeping = (isTTY: boolean, columns = 100) => {
  const chunks: Array<string> = []
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      chunks.push(String(chunk))
      done()
    },
  })
  return Object.assign(stream, { text: () => chunks.join(''), isTTY, columns })
}

export interface Run {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Terminal['env']
  readonly stdin?: string | Readable
  readonly signals?: Observable<Signal>
  readonly isTTY?: boolean
  /** Columns of the terminal. Default 100. */
  readonly columns?: number
  /** Default: the idle clock. */
  readonly timer?: SchedulerLike
  readonly timeout?: Terminal['timeout']
  readonly stdout?: Writable
  readonly files?: Terminal['files']
}

const SKEW = /^the clock of this machine is \d+ s behind the service's.*\n/m

/** Elsewhere than on Linux, the idle clock does not see what other threads compress, and passes meanwhile. */
const SILENCE = /^.*: waited \d+ s so far: it does not respond.*\n/gm

/** Runs a command line in this process, in time that passes only while it has nothing to do. */
export const cli = async (args: ReadonlyArray<string>, options: RunOptions = {}): Promise<Run> => {
  const stdout = keeping(options.columns !== undefined, options.columns)
  const stderr = keeping(options.isTTY ?? false, options.columns)
  const status = await run({
    args,
    env: options.env ?? {},
    stdin: options.stdin instanceof Readable ? options.stdin : Readable.from([options.stdin ?? '']),
    stdout: options.stdout ?? stdout,
    stderr,
    signals: options.signals ?? NEVER,
    timer: options.timer ?? idleClock,
    ...withoutUndefined({ timeout: options.timeout, files: options.files }),
    version: '1.2.3',
  })
  const said = stderr.text()
  // the idle clock is years behind that of another process
  const isIdle = options.timer === undefined
  const plain = isIdle ? said.replace(SKEW, '').replace(SILENCE, '') : said
  return { status, stdout: stdout.text(), stderr: plain }
}

/** A folder for one test file, emptied after each test. */
export const folder = async (): Promise<(name: string) => string> => {
  const path = await mkdtemp(join(tmpdir(), 'payments-rx-'))
  const remove = () => rm(path, { recursive: true, force: true })
  afterEach(async () => {
    await remove()
    await mkdir(path)
  })
  afterAll(remove)
  return (name) => join(path, name)
}

/** The file that the rows of an unfinished export are in. */
export const unfinished = async (out: string): Promise<string> => {
  const names = await readdir(dirname(out))
  const [name = 'none'] = names.filter(
    (one) =>
      one.startsWith(`${basename(out)}.`) &&
      /^\.[0-9a-f]{12}\.part$/.test(one.slice(basename(out).length)),
  )
  return join(dirname(out), name)
}

/** The values of lines of JSON; throws at a line that is no JSON. */
export const jsonLines = (text: string): ReadonlyArray<Record<string, unknown>> => {
  const lines = text.split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line))
}

/** The rows of an NDJSON file. */
export const rowsOf = async (path: string) => jsonLines(await readFile(path, 'utf8'))
