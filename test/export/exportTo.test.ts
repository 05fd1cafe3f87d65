/** `exportTo`: what a list exports is taken from the list, and all else from flat options. */

import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import * as t from 'io-ts'
import { lastValueFrom, type Observable, of, Subject, take, tap, toArray } from 'rxjs'
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest'
import {
  type ExportError,
  type ExportEvent,
  type ExportOptions,
  type ExportProgress,
  exportTo,
  InvalidOption,
  isExportError,
} from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import type { AnyFailure, Charge, ClientOptions } from '../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'
import { virtualTime } from '../support/idleClock.js'
import { sandboxClient } from '../support/sandboxClient.js'
import { type Memory, memory } from './transfer/memory.js'
import { found } from './transfer/playing.js'

const OUT = '/exports/charges.ndjson'

/** A client of a sandbox with so many charges, in virtual time. */
const lab = (options: Partial<ClientOptions> = {}, charges = 500) => {
  const { timer, run } = virtualTime()
  const sandbox = createSandbox({ charges, timer, limits: false })
  const payments = sandboxClient(sandbox.fetch, { timer, ...options })
  const files = memory()
  const common = { files, timer, commitEvery: 0 }
  const all = (events: Observable<ExportEvent>) => run(lastValueFrom(events.pipe(toArray())))
  const last = async (events: Observable<ExportEvent>): Promise<ExportProgress> => {
    const event = (await all(events)).at(-1)
    if (event === undefined || E.isLeft(event)) throw event?.left
    return event.right
  }
  return { payments, files, common, all, last, timer, run }
}

const rowsIn = (files: Memory, path = OUT): ReadonlyArray<Record<string, unknown>> =>
  files
    .text(path)
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

const errorIn = (events: ReadonlyArray<ExportEvent>): ExportError => {
  const event = events.at(-1)
  if (event !== undefined && E.isLeft(event) && isExportError(event.left)) return event.left
  throw new Error('there is no error')
}

describe('exportTo', () => {
  it('writes a snapshot into a file, with a manifest beside it', async () => {
    const { payments, files, common, last } = lab()
    const { rows, ended, run } = await last(
      exportTo(payments.charges.snapshot({ page_size: 100 }).parallel(4), { out: OUT, ...common }),
    )
    expect({ rows, ended, complete: run?.complete }).toEqual({
      rows: 500,
      ended: true,
      complete: true,
    })
    expect(new Set(rowsIn(files).map(({ id }) => id)).size).toBe(500)
    expect(files.names()).toEqual([OUT, `${OUT}.manifest.json`])
    expect(run?.spec).toMatchObject({
      resource: 'charges',
      query: {},
      destination: 'charges.ndjson',
    })
    expect(run?.requests).toBeGreaterThan(5)
  })

  it('takes the format from the name of the file, and the columns from the codec of the list', async () => {
    const { payments, files, common, last } = lab()
    const out = '/exports/batches.csv'
    await last(
      exportTo(payments.batchTransfers.list(), { out, columns: ['id', 'status'], ...common }),
    )
    expect(files.text(out)).toMatch(/^id,status\r\n/)
  })
})

describe('the export spec is taken from the list', () => {
  /** An export of settled charges that stopped after its first page. */
  const stopped = async () => {
    const it = lab()
    const settled = { status: 'SETTLED', page_size: 50 } as const
    const events = exportTo(it.payments.charges.snapshot(settled), { out: OUT, ...it.common })
    await it.run(lastValueFrom(events.pipe(take(2))))
    while (it.files.text(`${OUT}.checkpoint.json`).includes('"owner"'))
      await new Promise(setImmediate)
    return it
  }

  it('a filter that was changed is refused, and nothing is mixed', async () => {
    const { payments, files, common, all } = await stopped()
    const before = found(files)
    const failed = payments.charges.snapshot({ status: 'FAILED', page_size: 50 })
    const events = await all(exportTo(failed, { out: OUT, resume: true, ...common }))
    expect(events).toHaveLength(1)
    expect(errorIn(events)).toMatchObject({
      _tag: 'SpecMismatch',
      path: `${OUT}.checkpoint.json`,
      field: 'query.status',
      message: `${OUT}.checkpoint.json belongs to another export: its query.status is "SETTLED", but is now "FAILED"`,
    })
    expect(found(files)).toEqual(before)
  })

  it.each<readonly [string, Partial<ClientOptions>]>([
    ['base URL', { baseUrl: 'https://elsewhere' }],
    ['client id', { credentials: { ...sandboxCredentials, clientId: 'another' } }],
    ['account to act for', { onBehalfOf: 'acct_1' }],
  ])('another %s is refused', async (_, options) => {
    const { files, common } = await stopped()
    const other = lab(options)
    const source = other.payments.charges.snapshot({ status: 'SETTLED', page_size: 50 })
    const events = await other.all(exportTo(source, { out: OUT, resume: true, ...common, files }))
    expect(errorIn(events)).toMatchObject({ _tag: 'SpecMismatch', field: 'account' })
  })

  it('another list is refused', async () => {
    const { payments, common, all } = await stopped()
    const events = await all(
      exportTo(payments.batchTransfers.list(), { out: OUT, resume: true, ...common }),
    )
    expect(errorIn(events)).toMatchObject({ _tag: 'SpecMismatch', field: 'resource' })
  })

  it('a list with another page size continues', async () => {
    const { payments, common, last } = await stopped()
    const source = payments.charges.snapshot({ status: 'SETTLED', page_size: 20 })
    const { run } = await last(exportTo(source, { out: OUT, resume: true, ...common }))
    expect(run).toMatchObject({ complete: true, starts: 2 })
  })

  it('a mapping, a filter, or a revision of them that was not there is refused', async () => {
    const { payments, common, all } = await stopped()
    const source = payments.charges.snapshot({ status: 'SETTLED', page_size: 50 })
    const options = { out: OUT, resume: true, ...common }
    for (const [field, more] of Object.entries({
      'format.mapped': { map: (row: Charge) => row },
      'format.filtered': { filter: () => true },
      'format.revision': { revision: '2' },
    })) {
      const error = errorIn(await all(exportTo(source, { ...options, ...more })))
      expect(error).toMatchObject({ _tag: 'SpecMismatch', field })
    }
  })

  it('formulas that are masked now, or were, are refused: columns of one file are alike', async () => {
    const { payments, run, files, common, all, last } = lab()
    const out = OUT.replace('ndjson', 'csv')
    const source = payments.charges.snapshot({ page_size: 50 })
    const begun = exportTo(source, { out, formulas: 'mask', ...common })
    await run(lastValueFrom(begun.pipe(take(2))))
    while (files.text(`${out}.checkpoint.json`).includes('"owner"')) await new Promise(setImmediate)
    for (const formulas of ['keep', undefined] as const) {
      const options = { out, resume: true, ...common, ...(formulas && { formulas }) }
      const error = errorIn(await all(exportTo(source, options)))
      expect(error).toMatchObject({ _tag: 'SpecMismatch', field: 'format.formulas' })
    }
    const options = { out, resume: true, formulas: 'mask', ...common } as const
    expect((await last(exportTo(source, options))).ended).toBe(true)
  })
})

describe('rows on the way', () => {
  const Line = t.type({ id: t.string, day: t.string })
  const dayOf = ({ id, created_at }: Charge) => ({ id, day: created_at.slice(0, 10) })

  it('are filtered, and written as they came', async () => {
    const { payments, files, common, last } = lab()
    const source = () => payments.charges.snapshot({ page_size: 100 })
    await last(exportTo(source(), { out: '/exports/all.ndjson', ...common }))
    const filter = ({ status }: Charge): boolean => status === 'SETTLED'
    const { rows, run } = await last(exportTo(source(), { out: OUT, filter, ...common }))
    const settled = files
      .text('/exports/all.ndjson')
      .split('\n')
      .filter((line) => line.includes('"status":"SETTLED"'))
    expect(files.text(OUT).split('\n').slice(0, -1)).toEqual(settled)
    expect([rows, run?.complete, run?.rejects]).toEqual([settled.length, true, 0])
  })

  it('are filtered and mapped after a resumption, too', async () => {
    const { payments, files, common, last, run } = lab()
    const how = {
      out: '/exports/lines.csv',
      filter: ({ status }: Charge) => status === 'SETTLED',
      map: dayOf,
      codec: Line,
      ...common,
    }
    const events = exportTo(payments.charges.snapshot({ page_size: 100 }), how)
    await run(lastValueFrom(events.pipe(take(3))))
    const again = exportTo(payments.charges.snapshot({ page_size: 100 }), { ...how, resume: true })
    const { rows } = await last(again)
    const lines = files.text('/exports/lines.csv').split('\r\n').slice(0, -1)
    expect(lines[0]).toBe('id,day')
    expect(lines).toHaveLength(rows + 1)
    expect(new Set(lines).size).toBe(rows + 1)
    expect(lines[1]).toMatch(/^chg_\w+,\d{4}-\d\d-\d\d$/)
  })

  it('are rejected as they came', async () => {
    const { payments, files, common, last } = lab({}, 3)
    const { rejects, run } = await last(
      exportTo(payments.charges.snapshot(), {
        out: OUT,
        map: ({ id }) => (id.length > 0 ? undefined : { id }),
        ...common,
      }),
    )
    expect([rejects, run?.complete]).toEqual([3, false])
    expect(rowsIn(files, `${OUT}.rejects.ndjson`)[0]).toMatchObject({
      row: { id: expect.stringMatching(/^chg_/), amount: expect.any(Number) },
    })
  })

  it('end the export with what was committed, where one cannot be mapped: that is a bug', async () => {
    const { payments, common, all } = lab()
    const going = exportTo(payments.charges.snapshot(), {
      out: OUT,
      map: () => {
        throw new Error('no such day')
      },
      ...common,
    })
    await expect(all(going)).rejects.toThrow('no such day')
  })

  it('have the types of the list, and of what they are mapped to', () => {
    const { payments } = lab()
    exportTo(payments.charges.list(), {
      out: OUT,
      filter: (row) => {
        expectTypeOf(row).toEqualTypeOf<Readonly<Charge>>()
        return true
      },
      map: dayOf,
      key: (line) => {
        expectTypeOf(line).toEqualTypeOf<{ id: string; day: string }>()
        return line.id
      },
    })
    expectTypeOf(exportTo(payments.charges.list(), { out: OUT })).toEqualTypeOf<
      Observable<E.Either<ExportError | AnyFailure, ExportProgress>>
    >()
  })
})

describe('a stream or a function as output', () => {
  it('takes rows as they come, and the end of the format', async () => {
    const { payments, last, timer } = lab({}, 3)
    const out = new PassThrough()
    const written = text(out)
    const { rows } = await last(exportTo(payments.charges.list(), { out, format: 'json', timer }))
    expect(rows).toBe(3)
    expect(JSON.parse(await written)).toHaveLength(3)
  })

  it('is not ended where it is not to be', async () => {
    const { payments, last, timer } = lab({}, 3)
    const out = new PassThrough().resume()
    await last(exportTo(payments.charges.list(), { out, endStream: false, timer }))
    expect(out.writableEnded).toBe(false)
  })

  it('fails with WriteFailed, and a WritableStream does, too', async () => {
    const { payments, all, timer } = lab({}, 3)
    const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
    const out = new WritableStream<Uint8Array>({ write: () => Promise.reject(broken) })
    const error = errorIn(await all(exportTo(payments.charges.list(), { out, timer })))
    expect(error).toMatchObject({ _tag: 'WriteFailed', code: 'EPIPE' })
  })

  it('may be a function, which is waited for', async () => {
    const { payments, last, timer } = lab({}, 30)
    const got: Array<string> = []
    const { rows } = await last(
      exportTo(payments.charges.list({ page_size: 10 }), {
        out: async (page) => {
          got.push(...page.map(({ id }) => id))
        },
        timer,
      }),
    )
    expect([rows, got.length, new Set(got).size]).toEqual([30, 30, 30])
  })

  it('tells of rejected rows', async () => {
    const { payments, last, timer } = lab({}, 3)
    const rejected: Array<unknown> = []
    await last(
      exportTo(payments.charges.list(), {
        out: new PassThrough().resume(),
        columns: ['id'],
        map: ({ id }) => ({ id, amount: 10n }),
        onReject: async (rows) => rejected.push(...rows),
        timer,
      }),
    )
    expect(rejected).toHaveLength(3)
  })
})

describe('failures are values', () => {
  it('from the service, after the progress that was kept', async () => {
    const { common, all } = lab()
    const { timer } = common
    const payments = sandboxClient(
      async () => Response.json({ code: 'credentials_invalid' }, { status: 401 }),
      { timer },
    )
    const events = await all(exportTo(payments.charges.snapshot(), { out: OUT, ...common }))
    expect(events.at(0)).toMatchObject({ right: { started: { resumed: false } } })
    expect(events.at(-1)).toMatchObject({ left: { _tag: expect.any(String), endpoint: /./ } })
  })
})

describe('a wrong option', () => {
  const { payments } = lab()
  const snapshot = payments.charges.snapshot()

  it.each<readonly [string, object]>([
    ['out', {}],
    ['out', { out: '' }],
    ['out', { out: 'a.xlsx' }],
    ['out', { out: 'a.parquet.gz' }],
    ['outt', { out: 'a', outt: 'b' }],
    ['format', { out: 'a.csv', format: 'json' }],
    ['compress', { out: 'a.csv.gz', compress: 'none' }],
    ['columns', { out: 'a.csv', columns: ['amonut'] }],
    ['amounts', { out: 'a.csv', amounts: 'text' }],
    ['formulas', { out: 'a.ndjson', formulas: 'mask' }],
    ['rotateRows', { out: 'a/', rotateRows: 0 }],
    ['rotateRows', { out: 'a.csv', rotateRows: 5 }],
    ['restart', { out: 'a.csv', resume: true, restart: true }],
    ['lookback', { out: 'a/', lookback: 5 }],
    ['resume', { out: new PassThrough(), resume: true }],
    ['checkpoint', { out: async () => {}, checkpoint: 'c' }],
    ['columns', { out: async () => {}, columns: ['id'] }],
    ['endStream', { out: 'a.csv', endStream: true }],
    ['inPlace', { out: 'a/', inPlace: true }],
    ['resume', { out: 'a.csv', inPlace: true, resume: true }],
    ['deadline', { out: 'a.csv', deadline: -1 }],
    ['lease', { out: 'a.csv', lease: 0 }],
    ['commitEvery', { out: 'a.csv', commitEvery: '1s' }],
    ['maxRejects', { out: 'a.csv', maxRejects: -1 }],
    ['stop', { out: 'a.csv', stop: 5 }],
  ])('is thrown at once: %s of %j', (option, options) => {
    const wrong = () => exportTo(snapshot, options as ExportOptions<Charge>)
    expect(wrong).toThrow(InvalidOption)
    expect(wrong).toThrow(expect.objectContaining({ option }))
  })

  it('is a source that is none', () => {
    // @ts-expect-error an Observable does not say what it is of
    expect(() => exportTo(of(1), { out: 'a.csv' })).toThrow(
      "source should be a client's list or snapshot itself (pipe turns it into a plain stream)",
    )
  })

  it('is a column that is a secret', () => {
    const secret = () => exportTo(payments.webhooks.list(), { out: 'a.csv', columns: ['secret'] })
    expect(secret).toThrow(
      'columns should be without secret, because files must not contain secrets',
    )
  })
})

it('ends when the deadline has passed', async () => {
  const { payments, files } = lab({ fetch: () => new Promise(() => {}) })
  const options = { out: OUT, files, deadline: 1 }
  const events = await lastValueFrom(exportTo(payments.charges.snapshot(), options).pipe(toArray()))
  expect(errorIn(events)).toMatchObject({
    _tag: 'DeadlinePassed',
    deadline: 1,
    message: 'the deadline of 1 ms passed before the end',
  })
  expect(events.at(-2)).toMatchObject({ right: { stopped: true, ended: false } })
})

it('writes into a pipe in place, and keeps nothing beside it', async () => {
  const { payments, last } = lab()
  const folder = await mkdtemp(join(tmpdir(), 'in-place-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const out = join(folder, 'pipe.csv')
  execFileSync('mkfifo', [out])
  const read = readFile(out, 'utf8')
  const { rows } = await last(
    exportTo(payments.batchTransfers.list(), { out, inPlace: true, columns: ['id'] }),
  )
  expect((await read).split('\r\n')).toHaveLength(rows + 2)
  expect(await readdir(folder)).toEqual(['pipe.csv'])
})

it('says in the manifest when it started, by the time of day', async () => {
  const { fetch } = createSandbox({ charges: 5, limits: false })
  const payments = sandboxClient(fetch)
  const { files } = lab()
  const before = Date.now()
  await lastValueFrom(exportTo(payments.charges.snapshot(), { out: OUT, files }))
  const { run } = JSON.parse(files.text(`${OUT}.manifest.json`))
  // the service tells its time in whole seconds
  expect(Date.parse(run.started)).toBeGreaterThan(before - 2_000)
  expect(Date.parse(run.started)).toBeLessThan(Date.parse(run.finished) + 1_000)
})

it('rows have no secret in any file', async () => {
  const { payments, files, common, last, run } = lab()
  const hook = { url: 'https://a.example', version: '2024-09-27', events: ['charge.new'] }
  await run(lastValueFrom(payments.webhooks.create(hook as never)))
  await last(exportTo(payments.webhooks.list(), { out: OUT, ...common }))
  expect(rowsIn(files)).toHaveLength(1)
  expect(rowsIn(files)[0]).not.toHaveProperty('secret')
})

it('messages of a destination of the caller’s own have no secret of the client', async () => {
  const { payments, all, timer } = lab()
  const { apiKey } = sandboxCredentials
  const refused = Object.assign(new Error(`refused: x-api-key ${apiKey}`), { code: 'ECONNRESET' })
  const out = async (): Promise<void> => {
    throw refused
  }
  const events = await all(exportTo(payments.charges.snapshot(), { out, timer }))
  expect(errorIn(events).message).toBe('cannot write the function: [secret]')
  expect(inspect(events, { depth: 9 })).not.toContain(apiKey)
})

describe('a run that was resumed', () => {
  /** An export of two thousand charges, some of which do not decode, resumed until it has ended. */
  const legs = async () => {
    const { timer, run } = virtualTime()
    const sandbox = createSandbox({
      charges: 2_000,
      timer,
      limits: false,
      faults: ({ route, nth }) =>
        route === 'GET /api/v1/charges' && nth % 7 === 0 ? 'malformed-row' : undefined,
    })
    const { charges } = sandboxClient(sandbox.fetch, { timer })
    const files = memory()
    const all: Array<ExportProgress> = []
    for (let leg = 0; all.at(-1)?.ended !== true && leg < 20; leg++) {
      let pages = 0
      const stop = new Subject<void>()
      const exporting = exportTo(charges.snapshot({ page_size: 50 }).parallel(3), {
        ...{ out: OUT, resume: leg > 0, files, timer, commitEvery: 0, stop },
      })
      await run(
        lastValueFrom(
          exporting.pipe(
            tap((event) => {
              if (E.isLeft(event)) throw event.left
              all.push(event.right)
              if (++pages === 8) stop.next()
            }),
          ),
        ),
      )
    }
    return { all, files }
  }

  it('goes on at its share, which never falls', async () => {
    const { all } = await legs()
    expect(all.filter(({ started }) => started?.resumed === true).length).toBeGreaterThan(2)
    const shares = all.flatMap(({ share }) => share ?? [])
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    for (const { started, share } of all)
      if (started?.resumed === true) expect(share).toBeGreaterThan(0)
    expect(shares.at(-1)).toBe(1)
  })

  it('has rows and exact sums of all its starts, and why rows were rejected', async () => {
    const { all, files } = await legs()
    const run = all.at(-1)?.run
    const rows = rowsIn(files)
    const expected = new Map<string, readonly [rows: number, units: bigint]>()
    for (const { status, currency, amount } of rows) {
      const key = `${status} ${currency}`
      const [count, units] = expected.get(key) ?? [0, 0n]
      expected.set(key, [count + 1, units + BigInt(Math.round(Number(amount) * 10_000))])
    }
    const scaled = (amount = '') => {
      const [whole = '', fraction = ''] = amount.split('.')
      return BigInt(whole + fraction.padEnd(4, '0'))
    }
    expect(
      new Map(
        run?.totals?.map(({ status, currency, rows, amount }) => [
          `${status} ${currency}`,
          [rows, scaled(amount)],
        ]),
      ),
    ).toEqual(expected)
    expect(run?.rejects).toBeGreaterThan(2)
    expect(run?.reasons?.reduce((sum, { rows }) => sum + rows, 0)).toBe(run?.rejects)
    expect(run?.reasons?.[0]?.reason).toMatch(/^amount should be/)
  })
})
