import { lastValueFrom, type Observable, Subject, takeUntil, toArray } from 'rxjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasPostgres, type Postgres, startPostgres } from '../../../bench/services/postgres.js'
import { s3Double } from '../../../bench/services/s3Double.js'
import {
  type Destination,
  exportTo,
  readRows,
  type Store,
  s3Store,
  sync,
  verify,
} from '../../../src/export/index.js'
import { Charge, type Client, type ClientEvent } from '../../../src/index.js'
import { createSandbox } from '../../../src/sandbox/index.js'
import { idleClock, virtualTime } from '../../support/idleClock.js'
import { sandboxClient } from '../../support/sandboxClient.js'
import { hanging, OPERATIONS, type Operation } from './hanging.js'

/** A client of a sandbox in virtual time: the waits that it tells, and the warnings of its log. */
const listening = () => {
  const { timer, pass, run } = virtualTime()
  const warnings: Array<string> = []
  const payments = sandboxClient(createSandbox({ charges: 300, limits: false, timer }).fetch, {
    timer,
    log: {
      ...{ debug: () => {}, info: () => {}, error: () => {} },
      warn: (_, line) => warnings.push(line),
    },
  })
  const waits: Array<Extract<ClientEvent, { readonly _tag: 'DestinationWait' }>> = []
  payments.events.subscribe((event) => {
    if (event._tag === 'DestinationWait') waits.push(event)
  })
  return { payments, timer, pass, run, waits, warnings }
}

/** Subscribes; `ended`: resolves when it is over. */
const begun = (events: Observable<unknown>) => {
  const left = new Subject<void>()
  const ended = lastValueFrom(events.pipe(takeUntil(left), toArray()))
  return { ended, leave: () => left.next() }
}

/** Hangs at the first call of an operation, until it is let go. */
const hangingAt = (operation: Operation) => {
  let letGo = () => {}
  let isFirst = true
  const destination = hanging(operation, async () => {
    if (!isFirst) return
    isFirst = false
    await new Promise<void>((resolve) => {
      letGo = resolve
    })
  })
  return { destination, letGo: () => letGo() }
}

const RUNS: Readonly<
  Record<
    string,
    (payments: Client, out: Destination<Charge>, options: object) => Observable<unknown>
  >
> = {
  'an export': (payments, out, options) =>
    exportTo(payments.charges.snapshot(), { out, ...options }),
  'a sync': (payments, to, options) => sync(payments.charges, { to, ...options }),
}

describe.each(Object.entries(RUNS))('%s tells', (_, start) => {
  it.each(OPERATIONS)('that %s of a destination hangs, and that it went on', async (operation) => {
    const { payments, timer, pass, run, waits, warnings } = listening()
    const { destination, letGo } = hangingAt(operation)
    const { ended } = begun(start(payments, destination, { timer }))
    await pass(7_000)
    expect(waits).toEqual([
      {
        ...{ _tag: 'DestinationWait', destination: 'memory', waited: 5_000, isOver: false },
        message:
          'memory: waited 5 s so far: it does not respond, because it is slow, locked or hanging',
      },
    ])
    expect(warnings).toEqual(waits.map(({ message }) => message))
    letGo()
    await run(ended)
    expect(waits.slice(1)).toEqual([
      {
        ...{ _tag: 'DestinationWait', destination: 'memory', waited: 7_000, isOver: true },
        message: 'memory: continued after waiting 7 s',
      },
    ])
  })
})

it('an export tells that a function of yours hangs', async () => {
  const { payments, timer, pass, waits } = listening()
  const out = (): Promise<void> => new Promise(() => {})
  const { leave } = begun(exportTo(payments.charges.snapshot(), { out, timer }))
  await pass(6_000)
  leave()
  expect(waits.map(({ message }) => message)).toEqual([
    'the function: waited 5 s so far: it does not respond, because it is slow, locked or hanging',
  ])
})

it('a stream of changes tells that its store hangs', async () => {
  const { payments, timer, pass, warnings } = listening()
  const never = (): Promise<never> => new Promise(() => {})
  const store: Store = { read: never, replace: never, remove: never }
  const following = payments.charges.changes({ store }).subscribe()
  await pass(6_000)
  following.unsubscribe()
  expect(timer.now()).toBeGreaterThan(0)
  expect(warnings).toEqual([
    'the change store: waited 5 s so far: it does not respond, because it is slow, locked or hanging',
  ])
})

describe.skipIf(!hasPostgres)('where another session has locked a table of Postgres', () => {
  let server: Postgres
  beforeAll(async () => {
    server = await startPostgres()
  })
  afterAll(() => server.stop())

  it.each([
    ['its rows', 'charges'],
    ['its state', 'payments_rx_state'],
  ])('%s are waited for in the words of the server', async (_, table) => {
    const to = await server.database()
    const { payments, timer, run, waits, warnings } = listening()
    await run(lastValueFrom(sync(payments.charges, { to, timer })))
    const unlocked = server.query(
      to,
      `BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(3); COMMIT`,
    )
    const locks = `SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = '${table}'::regclass AND granted`
    while ((await server.query(to, locks)).length === 0) {
      await new Promise((resolve) => setImmediate(resolve))
    }
    await run(lastValueFrom(sync(payments.charges, { to, timer })))
    await unlocked
    const words = 'canceling statement due to lock timeout (55P03)'
    expect(waits.map(({ reason }) => reason)).toContain(words)
    expect(warnings.join('\n')).toContain(words)
    expect(waits.at(-1)?.isOver).toBe(true)
  })
})

describe('without a client, onWait is told that a bucket refuses', () => {
  const timer = idleClock
  /** A bucket with an export that refuses from then on. */
  const refusing = async () => {
    let isRefused = false
    const double = await s3Double({ faults: () => (isRefused ? 'slow-down' : undefined) })
    const payments = sandboxClient(createSandbox({ charges: 30, limits: false, timer }).fetch, {
      timer,
    })
    const { env } = double
    await lastValueFrom(
      exportTo(payments.charges.snapshot(), { out: 's3://bucket/a/', env, timer }),
    )
    isRefused = true
    const said: Array<string> = []
    const onWait = (message: string): void => {
      said.push(message)
    }
    return { double, said, options: { env, timer, onWait } }
  }

  it.each([
    ['verify', (options: object) => lastValueFrom(verify('s3://bucket/a/', options))],
    [
      'readRows',
      (options: object) => lastValueFrom(readRows('s3://bucket/a/', { ...options, codec: Charge })),
    ],
    [
      's3Store',
      async (options: object) =>
        (await s3Store('s3://bucket/a/', options)).read('checkpoint').catch(() => {}),
    ],
  ])('by %s', async (_, read) => {
    const { double, said, options } = await refusing()
    await read(options)
    await double.close()
    expect(said.join('\n')).toMatch(/^s3:\/\/bucket\/a\/: waited \d+ s so far: 503 SlowDown/m)
  })
})
