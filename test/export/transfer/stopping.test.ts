/**
 * A run that is told to end does so, by `stop` or its deadline, whichever operation of its destination never comes back:
 * of one of your own, in time that runs fast, and of those that listen at a socket where nothing ever answers.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastValueFrom, type Observable, Subject } from 'rxjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Destination, exportTo, sync } from '../../../src/export/index.js'
import type { Charge } from '../../../src/index.js'
import { createSandbox } from '../../../src/sandbox/index.js'
import { idleClock } from '../../support/idleClock.js'
import { sandboxClient } from '../../support/sandboxClient.js'
import { hanging, OPERATIONS, type Operation } from './hanging.js'

const timer = idleClock
const client = (fetch: typeof globalThis.fetch) => sandboxClient(fetch, { timer })
const { fetch } = createSandbox({ charges: 300, limits: false, timer })
const never = (): Promise<never> => new Promise(() => {})

/** Stands still at one operation; `reached`: it is called then. */
const standing = (at: Operation, reached: () => void): Destination<Charge> =>
  hanging(at, () => {
    reached()
    return never()
  })

const runs = {
  'an export': (destination: Destination<Charge>, ends: object) =>
    exportTo(client(fetch).charges.snapshot(), { out: destination, timer, ...ends }),
  'a sync': (destination: Destination<Charge>, ends: object): Observable<unknown> =>
    sync(client(fetch).charges, { to: destination, timer, ...ends }),
}

describe.each(Object.entries(runs))('%s ends', (_, run) => {
  it.each(OPERATIONS)('when it is told to stop while %s never comes back', async (operation) => {
    const stop = new Subject<void>()
    const destination = standing(operation, () => stop.next())
    const last = await lastValueFrom(run(destination, { stop }))
    expect(last).toMatchObject({ _tag: 'Right' })
  })

  it.each(OPERATIONS)('at its deadline, where %s never comes back', async (operation) => {
    const last = await lastValueFrom(
      run(
        standing(operation, () => {}),
        { deadline: 10_000 },
      ),
    )
    // all was kept before it was closed
    const isComplete = operation === 'close'
    expect(last).toMatchObject(
      isComplete ? { right: { ended: true } } : { left: { _tag: 'DeadlinePassed' } },
    )
  })
})

describe('where nothing answers at a socket', () => {
  let folder = ''
  let port = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}).resume())
  })
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'payments-rx-stopping-'))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const address = server.address()
    port = typeof address === 'object' && address !== null ? address.port : 0
  })
  afterAll(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
    rmSync(folder, { recursive: true })
  })

  const env = () => ({
    ...{ AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret-key' },
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
  })
  const silent = (): typeof globalThis.fetch => async (_input, init) =>
    globalThis.fetch(`http://127.0.0.1:${port}/`, { signal: init?.signal ?? null })

  const places: ReadonlyArray<readonly [string, (ends: object) => Observable<unknown>]> = [
    [
      'an export into a bucket',
      (ends) =>
        exportTo(client(fetch).charges.snapshot(), {
          ...{ out: 's3://bucket/a.ndjson', env: env(), timer, ...ends },
        }),
    ],
    [
      'a sync into a bucket',
      (ends) => sync(client(fetch).charges, { to: 's3://bucket/a/', env: env(), timer, ...ends }),
    ],
    [
      'a sync into Postgres',
      (ends) =>
        sync(client(fetch).charges, {
          ...{ to: `postgres://me@127.0.0.1:${port}/db?sslmode=disable`, timer, ...ends },
        }),
    ],
    [
      'an export of a service',
      (ends) =>
        exportTo(client(silent()).charges.snapshot(), {
          ...{ out: join(folder, 'a.ndjson'), timer, ...ends },
        }),
    ],
    [
      'a sync of a service',
      (ends) => sync(client(silent()).charges, { to: `${join(folder, 'b')}/`, timer, ...ends }),
    ],
  ]

  it.each(places)('%s ends at its deadline', async (_, run) => {
    expect(await lastValueFrom(run({ deadline: 20_000 }))).toMatchObject({
      left: { _tag: 'DeadlinePassed' },
    })
  })

  it.each(places)('%s ends when it is told to stop', async (_, run) => {
    const stop = new Subject<void>()
    const ended = lastValueFrom(run({ stop }))
    timer.schedule(() => stop.next(), 20_000)
    expect(await ended).toMatchObject({ right: { ended: false } })
  })
})
