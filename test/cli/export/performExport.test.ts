import { PassThrough, Readable } from 'node:stream'
import { concat, NEVER, Observable, of, Subject } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { performExport } from '../../../src/cli/export/performExport.js'
import { outputTo } from '../../../src/cli/output.js'
import { runCommand } from '../../../src/cli/runCommand.js'
import { exportError } from '../../../src/export/ExportError.js'
import type { ExportEvent, ExportProgress } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { lab } from '../../support/lab.js'

/** When the exports begin, in ms. */
const BEGUN = 1_000

/** The control sequence that erases a line. */
const ERASE = '\u001B[2K'

interface More {
  readonly progress?: 'auto' | 'json'
  readonly isTTY?: boolean
}

/** An export of a client in virtual time. */
const exported = (
  run: Observable<ExportEvent>,
  { progress = 'json', isTTY = false }: More = {},
) => {
  const { client, timer, runUntil } = lab({ play: () => ({}) })
  timer.frame = BEGUN
  const stderr = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY, columns: 100 })
  const terminal = {
    args: [],
    stdin: Readable.from([]),
    env: {},
    stdout: new PassThrough(),
    stderr,
    signals: NEVER,
    timer,
    version: '1.2.3',
  }
  let start = () => {}
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  const prepared = {
    client,
    events: new Observable<ExportEvent>((subscriber) => {
      start()
      return run.subscribe(subscriber)
    }),
    ...{ files: undefined, canResume: true },
    name: 'c.ndjson',
    rejectsName: 'c.ndjson.rejects.ndjson',
  }
  let status = Number.NaN
  const exit = (code: number): void => {
    status = code
  }
  const performed = runCommand(
    { terminal, output: outputTo(terminal), exit },
    { quiet: false, progress },
    {
      run: (running) => performExport(running, {}, prepared),
      stopsInOrder: true,
    },
  ).then(() => status)
  const written = (): string => String(stderr.read() ?? '')
  const said = (): ReadonlyArray<string> => written().split('\n').slice(0, -1)
  return {
    performed,
    started,
    said,
    written,
    runUntil,
    setBack: (ms: number) => {
      timer.frame -= ms
    },
  }
}

/** Progress of an export. */
const told = (progress: Partial<ExportProgress>): ExportEvent =>
  E.right({ rows: 0, rejects: 0, pages: 0, ended: false, ...progress })

/** The system refuses to write. */
const refused = (code: string, why: string): ExportEvent => {
  const path = 'c.ndjson'
  return E.left(exportError('WriteFailed', `cannot write ${path}: ${code}: ${why}`, { path, code }))
}

describe('an export that waits for its disk', () => {
  it('prints only the reason when it is refused', async () => {
    const run = new Subject<ExportEvent>()
    const { performed, started, said, runUntil } = exported(run, { progress: 'auto' })
    await started
    runUntil(90_000)
    run.next(
      E.left(exportError('Locked', 'c.ndjson.lock is in the way', { path: 'c.ndjson.lock' })),
    )
    run.complete()
    expect(await performed).toBe(3)
    expect(said()).toEqual(['payments-rx: c.ndjson.lock is in the way'])
  })

  it('claims no kept row when its first page fails', async () => {
    const { performed, said } = exported(
      concat(of(told({ started: { resumed: false } })), of(refused('EMFILE', 'too many'))),
      { progress: 'auto' },
    )
    expect(await performed).toBe(1)
    expect(said().slice(-2)).toEqual([
      expect.stringMatching(/^incomplete: c.ndjson has no rows from this run, 0.0 s /),
      'payments-rx: cannot write c.ndjson: EMFILE: too many; rerun the same command to continue',
    ])
  })

  it('took 0 ms where the clock was set back', async () => {
    const run = new Subject<ExportEvent>()
    const { performed, started, said, setBack } = exported(run, { progress: 'auto' })
    await started
    setBack(60_000)
    run.next(told({ rows: 5, pages: 1, ended: true }))
    run.complete()
    expect(await performed).toBe(0)
    expect(said().at(-1)).toMatch(/^complete: 5 rows in c.ndjson, 0.0 s/)
  })

  it('shows progress from its beginning on', async () => {
    const run = new Subject<ExportEvent>()
    const { performed, started, said, runUntil } = exported(run, { progress: 'auto' })
    await started
    runUntil(45_000)
    expect(said()).toEqual([])
    run.next(told({ started: { resumed: false } }))
    runUntil(90_000)
    const lines = said()
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(line).toMatch(/^counting, /)
    run.complete()
    await performed
  })

  it('leaves no line on the terminal after a bug', async () => {
    const run = new Subject<ExportEvent>()
    const { performed, started, written, runUntil } = exported(run, {
      progress: 'auto',
      isTTY: true,
    })
    await started
    run.next(told({ started: { resumed: false } }))
    runUntil(BEGUN + 1_000)
    expect(written()).toContain('counting')
    run.error(new Error('a bug'))
    await expect(performed).rejects.toThrow('a bug')
    expect(written()).toContain(ERASE)
  })
})
