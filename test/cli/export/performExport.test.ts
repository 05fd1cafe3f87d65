import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { concat, NEVER, Observable, of, Subject, throwError } from 'rxjs'
import { afterAll, describe, expect, it } from 'vitest'
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

const folder = await mkdtemp(join(tmpdir(), 'payments-rx-'))
afterAll(() => rm(folder, { recursive: true }))

interface More {
  readonly report?: string
  readonly progress?: 'auto' | 'json'
  readonly isTTY?: boolean
}

/** A client that tells how many listen to it, and an export with it. */
const exported = (
  run: Observable<ExportEvent>,
  { report, progress = 'json', isTTY = false }: More = {},
) => {
  const { client, timer, runUntil } = lab({ play: () => ({}) })
  timer.frame = BEGUN
  let listeners = 0
  const counted = <A>(source: Observable<A>): Observable<A> =>
    new Observable((subscriber) => {
      listeners++
      subscriber.add(() => {
        listeners--
      })
      return source.subscribe(subscriber)
    })
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
  let most = 0
  let start = () => {}
  const started = new Promise<void>((resolve) => {
    start = resolve
  })
  const prepared = {
    client: {
      events: counted(client.events),
      scheduler: { ...client.scheduler, state: counted(client.scheduler.state) },
    },
    events: new Observable<ExportEvent>((subscriber) => {
      most = listeners
      start()
      return run.subscribe(subscriber)
    }),
    canResume: true,
    canAdd: true,
    sinceLast: false,
    query: {},
    title: 'Export of charges',
    name: 'c.ndjson',
    rejectsName: 'c.ndjson.rejects.ndjson',
  }
  const flags = {
    quiet: false,
    progress,
    ...(report === undefined ? {} : { report: join(folder, report) }),
  }
  let status = Number.NaN
  const exit = (code: number): void => {
    status = code
  }
  const performed = runCommand({ terminal, output: outputTo(terminal), exit }, flags, {
    run: (running) => performExport(running, flags, prepared),
    stopsInOrder: true,
  }).then(() => status)
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
    listeners: () => ({ during: most, after: listeners }),
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

describe('an export listens to its client', () => {
  it('while it runs, and no longer', async () => {
    const { performed, listeners } = exported(of(told({ ended: true })), {
      report: 'a.html',
    })
    expect(await performed).toBe(0)
    const { during, after } = listeners()
    expect(during).toBeGreaterThan(0)
    expect(after).toBe(0)
  })

  it('no longer when there is a bug', async () => {
    const { performed, listeners } = exported(
      throwError(() => new Error('a bug')),
      { report: 'b.html' },
    )
    await expect(performed).rejects.toThrow('a bug')
    const { during, after } = listeners()
    expect(during).toBeGreaterThan(0)
    expect(after).toBe(0)
  })
})

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

  it('prints only the reason when it fails before its first page', async () => {
    const { performed, said } = exported(of(refused('ENOSPC', 'no space left')), {
      progress: 'auto',
    })
    expect(await performed).toBe(2)
    expect(said()).toEqual(['payments-rx: cannot write c.ndjson: ENOSPC: no space left'])
  })

  it('claims no kept row when its first page fails', async () => {
    const { performed, said } = exported(
      concat(of(told({ begun: { resumed: false } })), of(refused('EMFILE', 'too many'))),
      { progress: 'auto' },
    )
    expect(await performed).toBe(1)
    expect(said().slice(-2)).toEqual([
      expect.stringMatching(/^incomplete: no row of this run is kept in c.ndjson, 0.0 s /),
      'payments-rx: cannot write c.ndjson: EMFILE: too many; the same command continues',
    ])
  })

  it('counts the committed rows when it fails later', async () => {
    const { performed, said } = exported(
      concat(
        of(told({ begun: { resumed: false } }), told({ rows: 5, pages: 1 })),
        of(refused('ENOSPC', 'full')),
      ),
      { progress: 'auto' },
    )
    expect(await performed).toBe(2)
    expect(said().at(-2)).toMatch(/^incomplete: 5 rows in c.ndjson, /)
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

  it('took the measured time without a manifest', async () => {
    const run = new Subject<ExportEvent>()
    const { performed, started, said, runUntil } = exported(run, { progress: 'auto' })
    await started
    runUntil(BEGUN + 2_000)
    run.next(told({ rows: 50, pages: 1, ended: true }))
    run.complete()
    expect(await performed).toBe(0)
    expect(said().at(-1)).toMatch(/^complete: 50 rows in c.ndjson, 2.0 s \(25 rows/)
  })

  it('shows progress from its beginning on', async () => {
    const run = new Subject<ExportEvent>()
    const { performed, started, said, runUntil } = exported(run, { progress: 'auto' })
    await started
    runUntil(45_000)
    expect(said()).toEqual([])
    run.next(told({ begun: { resumed: false } }))
    runUntil(90_000)
    const lines = said()
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(line).toMatch(/^0 rows, /)
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
    run.next(told({ begun: { resumed: false } }))
    runUntil(BEGUN + 1_000)
    expect(written()).toContain('0 rows')
    run.error(new Error('a bug'))
    await expect(performed).rejects.toThrow('a bug')
    expect(written()).toContain(ERASE)
  })
})
