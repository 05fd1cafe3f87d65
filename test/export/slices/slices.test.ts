/** Exports in slices: planned once, each written by one worker after the other, and assembled. */
import { lastValueFrom, type Observable, Subscription, toArray } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { s3Double } from '../../../bench/services/s3Double.js'
import {
  assemble,
  type ExportEvent,
  exportSlice,
  exportTo,
  InvalidOption,
  type PlannedSlice,
  planSlices,
  readManifest,
  type SlicePlan,
  verify,
} from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { type Charge, createClient, type SnapshotFilter } from '../../../src/index.js'
import { createSandbox, sandboxCredentials, virtualTime } from '../../../src/sandbox/index.js'
import { idleClock } from '../../support/idleClock.js'
import { CHARGE, timeText } from '../../support/lab.js'
import { type Memory, memory } from '../transfer/memory.js'

const OUT = '/exports/charges/'
const CHARGES = 600

/** Workers on one disk, in virtual time, whose pages are small. */
const lab = (charges = CHARGES) => {
  const { timer, run } = virtualTime()
  const sandbox = createSandbox({ charges, timer, limits: false })
  const account = (clientId: string, fetch: typeof globalThis.fetch = sandbox.fetch) => {
    const client = createClient({
      baseUrl: 'https://sandbox',
      credentials: { ...sandboxCredentials, clientId },
      fetch,
      timer,
    })
    const snapshot = (filter: SnapshotFilter = {}) =>
      client.charges.snapshot({ page_size: 20, ...filter })
    return { ...client, charges: { ...client.charges, snapshot } }
  }
  const payments = account(sandboxCredentials.clientId)
  const last = <A>(events: Observable<A>): Promise<A> => run(lastValueFrom(events))
  const common = (files: Memory) => ({ out: OUT, files, timer })
  const plan = async (files: Memory, options: object = {}, filter: SnapshotFilter = {}) =>
    rightOf(
      await last(
        planSlices(payments.charges.snapshot(filter), { ...common(files), slices: 4, ...options }),
      ),
    )
  const slice = (files: Memory, one: PlannedSlice, options: object = {}) =>
    exportSlice<Charge>(payments, one, { ...common(files), commitEvery: 0, ...options })
  const write = async (files: Memory, slices: ReadonlyArray<PlannedSlice>) => {
    for (const one of slices) rightOf(await last(slice(files, one)))
  }
  const end = (files: Memory, planned: SlicePlan) => last(assemble(planned, common(files)))
  const differences = async (files: Memory) => {
    const checks = await run(lastValueFrom(verify(OUT, { files }).pipe(toArray())))
    return checks.flatMap((check) => rightOf(check).differences)
  }
  return { payments, account, plan, slice, write, end, last, run, common, differences }
}

const rightOf = <A>(ea: E.Either<unknown, A>): A => {
  if (E.isLeft(ea)) throw ea.left
  return ea.right
}

const refusal = (ea: E.Either<unknown, unknown>): unknown => {
  if (E.isRight(ea)) throw new Error('it was not refused')
  return ea.left
}

/** Ids in the files of a manifest. */
const idsIn = (files: Memory): ReadonlyArray<unknown> =>
  readManifest(OUT)(files.text(`${OUT}_manifest.json`))
    .runs.flatMap((run) => run.files)
    .flatMap(({ path }) => files.text(`${OUT}${path}`).split('\n').slice(0, -1))
    .map((line) => JSON.parse(line).id)

const json = <A>(a: A): A => JSON.parse(JSON.stringify(a))

describe('an export in slices', () => {
  it('has each row once, in slices of about equal rows, under one manifest', async () => {
    const { plan, write, end, differences } = lab()
    const files = memory()
    const planned = await plan(files)
    expect(planned.slices.map(({ number, of, file }) => [number, of, file])).toEqual(
      [1, 2, 3, 4].map((n) => [n, 4, `part-0000${n}-001.ndjson`]),
    )
    await write(files, [...json(planned).slices].reverse())
    const manifest = rightOf(await end(files, json(planned)))
    expect(manifest.runs.map(({ complete }) => complete)).toEqual([true, true, true, true])
    for (const { rows } of manifest.runs) expect(Math.abs(rows - CHARGES / 4)).toBeLessThan(8)
    const ids = idsIn(files)
    expect([ids.length, new Set(ids).size]).toEqual([CHARGES, CHARGES])
    expect(await differences(files)).toEqual([])
  })

  it('is planned once: the plan that is there is emitted again', async () => {
    const { plan } = lab()
    const files = memory()
    const planned = await plan(files)
    expect(json(planned)).toEqual(planned)
    expect(await plan(files, { slices: 9 })).toEqual(planned)
    await expect(plan(files, {}, { status: 'SETTLED' })).rejects.toMatchObject({
      _tag: 'SpecMismatch',
      field: 'query.status',
    })
    expect((await plan(files, { restart: true, slices: 3 })).slices.length).toBe(3)
  })

  it('takes as many slices as there are rows for', async () => {
    const { plan } = lab()
    expect((await plan(memory(), { slices: undefined, rows: 100 })).slices.length).toBe(6)
    expect((await plan(memory(), { slices: undefined })).slices.length).toBe(12)
  })

  it('exports a filtered list in another format, and one without rows', async () => {
    const { plan, write, end, differences } = lab()
    const files = memory()
    const planned = await plan(files, { format: 'parquet' }, { status: 'SETTLED', currency: 'XTS' })
    expect(planned.slices.map(({ file }) => file)).toEqual(['part-00001-001.parquet'])
    await write(files, planned.slices)
    expect(rightOf(await end(files, planned)).runs.map(({ rows }) => rows)).toEqual([0])
    expect(await differences(files)).toEqual([])
  })

  it('throws for options that cannot work', () => {
    const { payments, slice, plan } = lab()
    const source = payments.charges.snapshot()
    const planning = (options: object) => () => planSlices(source, { out: OUT, ...options })
    expect(planning({ out: 'charges' })).toThrow(InvalidOption)
    expect(planning({ slices: 2, rows: 2 })).toThrow('rows should be left out beside slices')
    expect(planning({ slices: 0 })).toThrow('slices should be a whole number')
    expect(() => slice(memory(), { ...({} as PlannedSlice) }, { out: 'x' })).toThrow(InvalidOption)
    expect(plan).toBeDefined()
  })

  it('keeps an export in one piece out of its folder', async () => {
    const { plan, payments, last, common } = lab()
    const files = memory()
    await plan(files)
    const whole = (options: object) =>
      last(exportTo(payments.charges.snapshot(), { ...common(files), ...options }))
    expect(refusal(await whole({}))).toMatchObject({ _tag: 'CheckpointExists' })
    expect(refusal(await whole({ resume: true }))).toMatchObject({ _tag: 'UnusableDestination' })
  })

  it('is not planned in a folder that has an export', async () => {
    const { plan, payments, last, common } = lab()
    const files = memory()
    await last(exportTo(payments.charges.snapshot(), common(files)))
    await expect(plan(files)).rejects.toMatchObject({ _tag: 'OutputExists' })
    await plan(files, { restart: true })
    expect(files.names()).toEqual([`${OUT}_checkpoint.json`])
  })

  it('is added to by later runs', async () => {
    const { plan, write, end, payments, last, common, differences } = lab()
    const files = memory()
    const planned = await plan(files)
    await write(files, planned.slices)
    rightOf(await end(files, planned))
    const sinceLast = { ...common(files), sinceLast: true, lookback: 0 }
    const added = rightOf(await last(exportTo(payments.charges.snapshot(), sinceLast)))
    expect(added.ended).toBe(true)
    expect(await differences(files)).toEqual([])
  })
})

describe('the rows of all slices', () => {
  /** Plans and writes slices of a list of which `hidden` does not come when slices are read, and `spoilt` without a status. */
  const written = async (
    hidden: (id: number) => boolean,
    filter: SnapshotFilter = {},
    spoilt: (id: number) => boolean = () => false,
  ) => {
    const { timer, run } = virtualTime()
    let isPlanned = false
    const rows = Array.from({ length: CHARGES }, (_, i) => i)
    const answer = (query: URLSearchParams) => {
      const [from, to] = ['from_created_at', 'to_created_at'].map((name) =>
        Date.parse(query.get(name)?.replace('+0000', 'Z') ?? ''),
      )
      const found = rows.filter((i) => {
        const at = Date.UTC(2026, 0, 1) + i * 1_000
        return !(at < (from ?? 0)) && !(at > (to ?? 0)) && !(isPlanned && hidden(i))
      })
      const size = Number(query.get('page_size'))
      const first = Number(query.get('page_num')) * size
      const items = found.slice(first, first + size).map((i) => ({
        ...{ ...CHARGE, id: `chg_${i}`, ...(spoilt(i) ? { status: null } : {}) },
        created_at: timeText(Date.UTC(2026, 0, 1) + i * 1_000),
      }))
      return Response.json({ has_more: found.length > first + size, items })
    }
    const payments = createClient({
      baseUrl: 'https://service',
      credentials: sandboxCredentials,
      fetch: async (url, init) =>
        init?.method === 'POST'
          ? Response.json({ token: 'token', expires_at: '2999-01-01T00:00:00Z' }, { status: 201 })
          : answer(new URL(String(url)).searchParams),
      ...{ timer, log: false },
    })
    const place = { out: OUT, files: memory(), timer }
    const last = <A>(events: Observable<A>): Promise<A> => run(lastValueFrom(events))
    const to_created_at = new Date(Date.UTC(2026, 0, 2))
    const snapshot = payments.charges.snapshot({ page_size: 20, to_created_at, ...filter })
    const plan = rightOf(await last(planSlices(snapshot, { ...place, slices: 4 })))
    isPlanned = true
    for (const slice of plan.slices)
      rightOf(await last(exportSlice<Charge>(payments, slice, place)))
    const assembled = (options: object) => last(assemble(plan, { ...place, ...options }))
    return { plan, assembled }
  }

  it('are as many as the plan has counted, or they are not assembled', async () => {
    const { plan, assembled } = await written((i) => i === 300)
    expect(plan.atLeast).toBe(CHARGES)
    expect(refusal(await assembled({}))).toMatchObject({
      _tag: 'NotAssembled',
      message: expect.stringContaining(
        'the slices have 599 rows, and the plan has counted at least 600',
      ),
    })
    expect(rightOf(await assembled({ maxMissing: 1 })).runs).toHaveLength(4)
  })

  it('are there if they were rejected', async () => {
    const { assembled } = await written(
      () => false,
      {},
      (i) => i === 300,
    )
    const { runs } = rightOf(await assembled({}))
    expect(runs.map(({ rows, rejects }) => rows + rejects)).toEqual([150, 150, 150, 150])
    expect(runs.map(({ rejects }) => rejects).sort()).toEqual([0, 0, 0, 1])
  })

  it('may be fewer where they are filtered by a status that changes', async () => {
    const { plan, assembled } = await written((i) => i > 300, { status: 'PENDING' })
    expect(plan.atLeast).toBe(0)
    expect(rightOf(await assembled({})).runs).toHaveLength(4)
  })
})

describe('a slice', () => {
  it('that is complete is not read again, before or after it was assembled', async () => {
    const { plan, slice, write, end, last } = lab()
    const files = memory()
    const planned = await plan(files)
    const [first] = planned.slices
    if (first === undefined) throw new Error('no slice')
    const done = rightOf(await last(slice(files, first)))
    const again = rightOf(await last(slice(files, first)))
    expect([again.ended, again.rows, again.run]).toEqual([true, done.rows, done.run])
    await write(files, planned.slices)
    const manifest = rightOf(await end(files, planned))
    expect(rightOf(await last(slice(files, first))).run).toEqual(manifest.runs[0])
    expect(rightOf(await end(files, planned))).toMatchObject(manifest)
  })

  it('from a killed worker is resumed where that one stopped', async () => {
    const { plan, slice, last, write, end } = lab()
    const files = memory()
    const planned = await plan(files)
    const [first] = planned.slices
    if (first === undefined) throw new Error('no slice')
    const dying = files.after('kill', { dies: 60 })
    await expect(last(slice(dying, first))).rejects.toThrow('killed')
    const left = dying.after('kill')
    const events = rightOf(await last(slice(left, first).pipe(toArray())).then(E.sequenceArray))
    expect(events[0]).toMatchObject({ waiting: { ms: 15_000 } })
    expect(events[1]?.begun).toEqual({ resumed: true, tookOver: true })
    expect(events[1]?.rows).toBeGreaterThan(0)
    await write(left, planned.slices)
    rightOf(await end(left, planned))
    expect(new Set(idsIn(left)).size).toBe(CHARGES)
    expect(idsIn(left).length).toBe(CHARGES)
  })

  it('from a live worker is refused to another one', async () => {
    const { plan, slice, last, run, account, common } = lab()
    const files = memory()
    const [first] = (await plan(files)).slices
    if (first === undefined) throw new Error('no slice')
    const unanswered = account(sandboxCredentials.clientId, () => new Promise(() => {}))
    const living = new Subscription()
    const events = exportSlice<Charge>(unanswered, first, common(files))
    await run(
      new Promise<void>((resolve) => {
        living.add(events.subscribe(() => resolve())) // with its first progress, it has begun
      }),
    )
    expect(refusal(await last(slice(files, first)))).toMatchObject({ _tag: 'Locked' })
    living.unsubscribe()
  })

  it('from a frozen worker has each row once, and the worker is fenced when it goes on', async () => {
    const { plan, slice, run, write, end, differences } = lab()
    const files = memory()
    const planned = await plan(files)
    const [first] = planned.slices
    if (first === undefined) throw new Error('no slice')
    const ice = freezing(files, 40)
    const frozen = lastValueFrom(slice(ice.files, first))
    await run(ice.frozen)
    rightOf(await run(lastValueFrom(slice(files, first))))
    await write(files, planned.slices)
    rightOf(await end(files, planned))
    ice.thaw()
    expect(refusal(await run(frozen))).toMatchObject({ _tag: 'Fenced' })
    const ids = idsIn(files)
    expect([ids.length, new Set(ids).size]).toEqual([CHARGES, CHARGES])
    expect(await differences(files)).toEqual([])
  })

  it('from another plan, or for another account, is refused', async () => {
    const { plan, slice, last, account, common } = lab()
    const files = memory()
    const [old] = (await plan(files)).slices
    const [now] = (await plan(files, { restart: true, slices: 3 })).slices
    if (old === undefined || now === undefined) throw new Error('no slice')
    expect(refusal(await last(slice(files, old)))).toMatchObject({
      _tag: 'SpecMismatch',
      field: 'plan',
    })
    expect(
      refusal(await last(exportSlice<Charge>(account('other'), now, common(files)))),
    ).toMatchObject({ _tag: 'SpecMismatch', field: 'account' })
    expect(refusal(await last(slice(memory(), now)))).toMatchObject({ _tag: 'SpecMismatch' })
  })
})

describe('assemble', () => {
  it('names what is missing, and writes nothing', async () => {
    const { plan, write, end } = lab()
    const files = memory()
    const planned = await plan(files)
    await write(files, planned.slices.slice(0, 2))
    const before = files.names()
    const error = refusal(await end(files, planned))
    expect(error).toMatchObject({ _tag: 'NotAssembled', missing: [3, 4], foreign: [] })
    expect(String(error)).toMatch(
      /slice 3 of 4 \(.* to .*\) is missing: it is not complete; slice 4/,
    )
    expect(files.names()).toEqual(before)
    await files.rm(`${OUT}part-00001-001.ndjson`, { force: true })
    expect(refusal(await end(files, planned))).toMatchObject({ missing: [1, 3, 4] })
  })

  it('names slices of another plan, and those that overlap', async () => {
    const { plan, write, end } = lab()
    const [files, others] = [memory(), memory()]
    const planned = await plan(files)
    await write(files, planned.slices)
    await write(others, (await plan(others, { slices: 3 })).slices)
    for (const name of ['part-00002-001.ndjson', '_incoming/part-00002-001.ndjson.manifest.json'])
      files.put(`${OUT}${name}`, others.text(`${OUT}${name}`))
    const error = refusal(await end(files, planned))
    expect(error).toMatchObject({ _tag: 'NotAssembled', missing: [], foreign: [2] })
    expect(error).toMatchObject({ overlapping: [2, 3] })
    expect(String(error)).toContain('is of another plan')
    expect(files.names()).not.toContain(`${OUT}_manifest.json`)
  })

  it('refuses a plan that was changed, and one that is not of its folder', async () => {
    const { plan, end } = lab()
    const files = memory()
    const planned = await plan(files)
    const changed = { ...planned, slices: planned.slices.slice(1) }
    expect(refusal(await end(files, changed))).toMatchObject({ _tag: 'Damaged', field: 'id' })
    const other = await plan(memory(), { slices: 2 })
    expect(refusal(await end(files, other))).toMatchObject({ _tag: 'SpecMismatch', field: 'plan' })
  })
})

describe('an export in slices into a bucket', () => {
  it('has each row once', async () => {
    const timer = idleClock
    const double = await s3Double({ buckets: ['lake'] })
    const payments = createClient({
      baseUrl: 'https://sandbox',
      credentials: sandboxCredentials,
      fetch: createSandbox({ charges: 3_000, limits: false, timer }).fetch,
      timer,
    })
    const common = { out: 's3://lake/charges/', env: double.env, timer }
    try {
      const planning = planSlices(payments.charges.snapshot(), { ...common, slices: 3 })
      const planned = rightOf(await lastValueFrom(planning))
      const each = await Promise.all(
        planned.slices.map((one) => lastValueFrom(exportSlice<Charge>(payments, one, common))),
      )
      expect(each.map((event: ExportEvent) => rightOf(event).ended)).toEqual([true, true, true])
      const { runs } = rightOf(await lastValueFrom(assemble(planned, common)))
      expect(runs.reduce((sum, { rows }) => sum + rows, 0)).toBe(3_000)
      const checks = await lastValueFrom(
        verify(common.out, { env: double.env, timer }).pipe(toArray()),
      )
      expect(checks.flatMap((check) => rightOf(check).differences)).toEqual([])
    } finally {
      await double.close()
    }
  })
})

/** Files whose every call waits, from the `nth` on, until they are thawed. */
const freezing = (files: Memory, nth: number) => {
  let calls = 0
  let thaw = () => {}
  let freeze = () => {}
  const frozen = new Promise<void>((resolve) => {
    freeze = resolve
  })
  const thawed = new Promise<void>((resolve) => {
    thaw = resolve
  })
  const slow = <A extends object>(target: A): A =>
    new Proxy(target, {
      get: (own, name) => {
        const value: unknown = Reflect.get(own, name)
        if (typeof value !== 'function') return value
        return async (...args: ReadonlyArray<unknown>) => {
          if (++calls >= nth) {
            freeze()
            await thawed
          }
          const result: unknown = await Reflect.apply(value, own, args)
          return name === 'open' && typeof result === 'object' && result !== null
            ? slow(result)
            : result
        }
      },
    })
  return { files: slow(files), frozen, thaw }
}
