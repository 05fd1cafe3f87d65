import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { NEVER, Observable, of, throwError } from 'rxjs'
import { afterAll, describe, expect, it } from 'vitest'
import { perform } from '../../../src/cli/export/perform.js'
import { EMPTY_METER } from '../../../src/cli/Meter.js'
import type { RunProgress } from '../../../src/export/index.js'
import { lab } from '../../support/lab.js'

const folder = await mkdtemp(join(tmpdir(), 'payments-rx-'))
afterAll(() => rm(folder, { recursive: true }))

/** A client that tells how many listen to it, and an export with it. */
const exported = (run: Observable<RunProgress>, report?: string) => {
  const { client, timer } = lab({ play: () => ({}) })
  let listeners = 0
  const counted = <A>(source: Observable<A>): Observable<A> =>
    new Observable((subscriber) => {
      listeners++
      subscriber.add(() => {
        listeners--
      })
      return source.subscribe(subscriber)
    })
  const terminal = {
    args: [],
    env: {},
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    signals: NEVER,
    timer,
    runner: { pid: 1, host: 'here', since: 0, isAlive: () => false },
    version: '1.2.3',
  }
  let most = 0
  const performed = perform(
    terminal,
    {
      quiet: false,
      progress: 'json',
      resume: false,
      ...(report === undefined ? {} : { report: join(folder, report) }),
    },
    {
      client: {
        events: counted(client.events),
        scheduler: { ...client.scheduler, state: counted(client.scheduler.state) },
      },
      run: new Observable((subscriber) => {
        most = listeners
        return run.subscribe(subscriber)
      }),
      stopped: () => undefined,
      canResume: true,
      canAdd: true,
      query: {},
      title: 'Export of charges',
      notes: [],
      name: 'c.ndjson',
      rejectsName: 'c.ndjson.rejects.ndjson',
    },
  )
  return { performed, listeners: () => ({ during: most, after: listeners }) }
}

describe('an export listens to its client', () => {
  it('while it runs, and no longer', async () => {
    const { performed, listeners } = exported(of({ ...EMPTY_METER, ended: true }), 'a.html')
    expect(await performed).toBe(0)
    expect(listeners()).toEqual({ during: 4, after: 0 })
  })

  it('no longer when its report cannot be made', async () => {
    const { performed, listeners } = exported(of(EMPTY_METER), 'no/such/folder.html')
    await expect(performed).rejects.toThrow('--report')
    expect(listeners()).toEqual({ during: 0, after: 0 })
  })

  it('no longer when there is a bug', async () => {
    const { performed, listeners } = exported(
      throwError(() => new Error('a bug')),
      'b.html',
    )
    await expect(performed).rejects.toThrow('a bug')
    expect(listeners()).toEqual({ during: 4, after: 0 })
  })
})
