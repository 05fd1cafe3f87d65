#!/usr/bin/env node
/** The command `payments-rx`: the only file that knows the process. */
import { readFileSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'
import process from 'node:process'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { asyncScheduler, merge, Observable } from 'rxjs'
import { thisProcess } from '../export/index.js'
import { run } from './program.js'
import { EXIT_BY_SIGNAL, type Signal } from './Terminal.js'

/** Bytes of the young generation. Pages are born, written and dead: more of it makes nothing faster. */
const YOUNG = 16 << 20

// It grows until it has them: nothing else says so to a process that runs. If it may go on, an export
// takes 270 MiB in place of 170, in the same time (`npm run bench -- export`).
const limitYoung = (): void => {
  const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  if (young === undefined || young.space_size < YOUNG) return
  setFlagsFromString('--semi-space-growth-factor=1')
  growth.disconnect()
}
const growth = new PerformanceObserver(limitYoung)
growth.observe({ type: 'gc' })
limitYoung()

// Little of it lives on: threads cost more than they help. What does is dead soon: looked for whenever the
// old generation has doubled, an export of five millions takes 180 MiB in place of 220.
setFlagsFromString('--no-parallel-scavenge')
setFlagsFromString('--heap-growing-percent=100')

const manifest: { readonly version?: unknown } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)

// Who draws lines (`signal-exit`, to show the cursor again) hears signals after us, and ends the process at once
// when nobody else listens: we go when that was looked at. The next one then does end it.
const on = (signal: Signal): Observable<Signal> =>
  new Observable((subscriber) => {
    const hear = (): void => subscriber.next(signal)
    process.on(signal, hear)
    return () => void setImmediate(() => process.off(signal, hear))
  })

// a reader that went away is told by the write that fails, not by an event that ends the process
process.stdout.on('error', () => {})
// and whoever does not hear how it goes may want the rows all the same
process.stderr.on('error', () => {})

const status = await run({
  args: process.argv.slice(2),
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  signals: merge(on('SIGINT'), on('SIGTERM')),
  timer: asyncScheduler,
  runner: thisProcess(),
  version: String(manifest.version),
})

process.exitCode = status

// who does not read what was written is waited for by the write, for ever
if (Object.values(EXIT_BY_SIGNAL).includes(status) && process.stdout.writableLength > 0)
  process.exit()
