/** The command as it is installed: what only a process of its own shows. */
import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { builtCommand } from '../support/built.js'
import { folder, unfinished } from './support.js'

const main = await builtCommand()
const file = await folder()

/** With the exit status. `before`: what to load first. */
const started = (
  args: ReadonlyArray<string>,
  stderr: 'pipe' | number,
  before: ReadonlyArray<string> = [],
) => {
  const imports = before.flatMap((text) => ['--import', `data:text/javascript,${text}`])
  const child = spawn(process.execPath, [...imports, main, ...args], {
    stdio: ['ignore', 'ignore', stderr],
  })
  const status = new Promise<number | null>((resolve) => child.on('close', resolve))
  return { child, status }
}

/** Collects the stderr of a process. The returned function gives the text so far. */
const saidBy = (child: ChildProcess): (() => string) => {
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  return () => said
}

it('says which Node it needs on an older one', async () => {
  const { engines } = JSON.parse(readFileSync(join(main, '../../../package.json'), 'utf8'))
  const older =
    "Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})"
  const { child, status } = started(['--help'], 'pipe', [older])
  const said = saidBy(child)
  expect(await status).toBe(2)
  expect(`>=${/needs Node (\S+)/.exec(said())?.[1]}`).toBe(engines.node)
  expect(said()).toBe('payments-rx needs Node 22.15.0 or later, but this is Node 20.20.2\n')
})

const linesOf = (path: string): number => readFileSync(path, 'utf8').split('\n').length - 1

// what is always full is a device of Linux
it.skipIf(process.platform !== 'linux')('writes all rows when stderr is full', async () => {
  const out = file('full.ndjson')
  const args = ['export', 'charges', '--sandbox', '--rows', '3000', '--out', out]
  const { status } = started(args, openSync('/dev/full', 'w'))
  expect(await status).toBe(0)
  expect(linesOf(out)).toBe(3_000)
})

// the same device
it.skipIf(process.platform !== 'linux')('reports lost words when stdout is full', async () => {
  const child = spawn(process.execPath, [main, '--help'], {
    stdio: ['ignore', openSync('/dev/full', 'w'), 'pipe'],
  })
  const said = saidBy(child)
  expect(await new Promise((resolve) => child.on('close', resolve))).toBe(1)
  expect(said()).toMatch(/^payments-rx: cannot write stdout: ENOSPC: .*\n$/)
})

it('writes all rows when stderr is closed', async () => {
  const out = file('deaf.ndjson')
  const args = ['export', 'charges', '--sandbox', '--rows', '3000', '--out', out]
  const { child, status } = started(args, 'pipe')
  child.stderr?.destroy()
  expect(await status).toBe(0)
  expect(linesOf(out)).toBe(3_000)
})

/** Takes what comes on a pipe for what is on a screen: a line is drawn, and the cursor hidden. */
const SCREEN = "process.env.TERM='xterm';Object.assign(process.stderr,{isTTY:true,columns:100})"

/** Keeps a process alive that has nothing to do, until it ends itself. */
const BUSY = 'setInterval(()=>{},1e6)'

/** Keeps it alive until a signal ends it. */
const ALIVE = `${BUSY};process.exit=()=>{}`

/** Sends a signal the moment that each of these is said; what moves the cursor has digits, too. */
const sentAt = (child: ChildProcess, signal: NodeJS.Signals, words: ReadonlyArray<RegExp>) => {
  const left = [...words]
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
    if (left[0]?.test(stripVTControlCharacters(said))) {
      left.shift()
      child.kill(signal)
    }
  })
  return () => said
}

const ROWS = /[1-9]\S* rows/
const STOPPED = /stopped by/

// elsewhere a signal that is sent ends the process at once
describe.skipIf(process.platform === 'win32')('a signal while a line is drawn', () => {
  const drawing = (name: string, ...before: ReadonlyArray<string>) => {
    const out = file(name)
    const args = ['export', 'charges', '--sandbox', '--page-size', '10', '--out', out]
    return { out, ...started(args, 'pipe', [SCREEN, ...before]) }
  }

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('keeps all that was read: %s', async (signal, code) => {
    const { out, child, status } = drawing(`${signal}.ndjson`, BUSY)
    const said = sentAt(child, signal, [ROWS])
    expect(await status).toBe(code)
    expect(stripVTControlCharacters(said())).toMatch(
      /incomplete: [\s\S]*\npayments-rx: stopped by (?:Ctrl-C|SIGTERM)/,
    )
    const { owner, state } = JSON.parse(readFileSync(`${out}.checkpoint.json`, 'utf8'))
    expect(owner).toBeUndefined()
    expect(state.run.counts.rows).toBe(linesOf(await unfinished(out)))
  })

  it('ends the process when it comes again', async () => {
    const { child, status } = drawing('twice.ndjson', ALIVE)
    const said = sentAt(child, 'SIGINT', [ROWS, STOPPED])
    expect(await status).toBe(null)
    expect(child.signalCode).toBe('SIGINT')
    expect(said()).toMatch(STOPPED)
  })
})
