/**
 * An export that came to its end with rejected rows, and is resumed: these rows are read again, and those that now fit are
 * added to the files that are there.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { lastValueFrom, toArray } from 'rxjs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { s3Double } from '../../../bench/services/s3Double.js'
import { seeded } from '../../../bench/simulated/random.js'
import {
  type ExportError,
  type ExportOptions,
  type ExportProgress,
  exportTo,
  readRows,
  sync,
  verify,
} from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { Charge, createClient } from '../../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../../src/sandbox/index.js'
import { idleClock } from '../../support/idleClock.js'
import { runs, SEED } from '../../support/runs.js'
import { type Memory, memory } from './memory.js'
import { away, csv, good, item, listOf, outcome, quickLooks } from './playing.js'

const CHARGES = 40
const DIR = '/exports'

/** A service that sends some charges without an amount, and has others no more; and what it was asked. */
const service = () => {
  const timer = idleClock
  const { fetch } = createSandbox({ charges: CHARGES, limits: false, timer })
  const broken = new Set<string>()
  const gone = new Set<string>()
  const asked: Array<string> = []
  const spoilt = <A extends object>(row: A & { readonly id?: string }): object =>
    broken.has(row.id ?? '') ? { ...row, amount: 'none' } : row
  const client = createClient({
    baseUrl: 'https://sandbox',
    credentials: sandboxCredentials,
    timer,
    fetch: async (url, init) => {
      const path = new URL(url).pathname
      asked.push(path)
      if (gone.has(path.split('/').at(-1) ?? '')) {
        return Response.json({ error: { code: 'not_found', message: 'none' } }, { status: 404 })
      }
      const answer = await fetch(url, init)
      if (!path.includes('/charges')) return answer
      const body = await answer.json()
      const changed = 'items' in body ? { ...body, items: body.items.map(spoilt) } : spoilt(body)
      return Response.json(changed, answer)
    },
  })
  const source = client.charges.snapshot({ page_size: 10 })
  const ids = async (): Promise<ReadonlyArray<string>> => {
    const rows = await lastValueFrom(source.pipe(toArray()))
    return rows.flatMap((row) => (E.isRight(row) ? [row.right.id] : [])).sort()
  }
  return { charges: client.charges, source, broken, gone, asked, ids }
}

type How = Partial<Omit<ExportOptions<Charge>, 'out'>>

const started = (source: ReturnType<typeof service>['source'], out: string, how: How) =>
  lastValueFrom(exportTo(source, { out, timer: quickLooks, lease: 1_500, commitEvery: 0, ...how }))

const progressOf = (event: E.Either<unknown, ExportProgress>): ExportProgress => {
  if (E.isRight(event)) return event.right
  throw event.left
}

/** Why an export is refused. */
const refusalOf = (event: E.Either<unknown, ExportProgress>): unknown =>
  E.isLeft(event) ? (event.left as ExportError)._tag : 'it ran'

const idsAt = async (out: string, reach: How): Promise<ReadonlyArray<string>> => {
  const { files, env } = reach
  const rows = await lastValueFrom(readRows(out, { codec: Charge, files, env }).pipe(toArray()))
  return rows.map((row) => {
    if (E.isLeft(row)) throw row.left
    return row.right.id
  })
}

/** Returns what `verify` finds, except that rows are missing. */
const differences = async (out: string, { files, env }: How) => {
  const checks = await lastValueFrom(verify(out, { files, env }).pipe(toArray()))
  const all = checks.flatMap(
    (check): ReadonlyArray<{ readonly _tag: string }> =>
      E.isLeft(check) ? [check.left] : check.right.differences,
  )
  return all.filter(({ _tag }) => _tag !== 'Incomplete')
}

const FILES: ReadonlyArray<readonly [out: string, how: How]> = [
  ['rows.ndjson', {}],
  ['rows.ndjson.gz', {}],
  ['rows.ndjson.zst', {}],
  ['rows.json', {}],
  ['rows.json.gz', {}],
  ['rows.csv', {}],
  ['rows.csv.zst', {}],
  ['rows.parquet', {}],
  ['folder/', {}],
  ['folder/', { format: 'parquet' }],
  ['folder/', { format: 'csv', compress: 'gzip', rotateRows: 7 }],
]

describe.each(FILES)('a finished export into %s %o', (name, how) => {
  it('is resumed by reading its rejected rows again, until none is left', async () => {
    const { source, broken, ids, asked } = service()
    const all = await ids()
    const bad = [all[3], all[17], all[38]].map(String)
    for (const id of bad) broken.add(id)
    const out = `${DIR}/${name}`
    const files = memory()
    const reach = { files, ...how }
    const first = progressOf(await started(source, out, reach))
    expect(first.run).toMatchObject({ ended: true, complete: false, rows: 37, rejects: 3 })

    for (const id of bad.slice(1)) broken.delete(id)
    asked.length = 0
    const second = progressOf(await started(source, out, { ...reach, resume: true }))
    const singly = asked.filter((path) => !path.includes('login') && !path.includes('auth'))
    expect(singly.map((path) => path.split('/').at(-1)).sort()).toEqual(bad.toSorted())
    expect(second.run).toMatchObject({
      ...{ ended: true, complete: false, rows: 39, rejects: 1, starts: 2 },
      missing: ['1 row that was rejected'],
    })
    expect(second.run?.totals?.reduce((sum, { rows }) => sum + rows, 0)).toBe(39)
    expect(second.run?.reasons?.map(({ rows }) => rows)).toEqual([1])
    expect((await idsAt(out, reach)).toSorted()).toEqual(all.filter((id) => id !== bad[0]))
    expect(await differences(out, reach)).toEqual([])
    const rejects = files.names().filter((path) => path.includes('rejects'))
    expect(rejects).toHaveLength(1)
    const line = JSON.parse(files.text(rejects[0] ?? ''))
    expect(line).toMatchObject({ index: expect.any(Number), row: { id: bad[0], amount: 'none' } })
    expect(line.position).toHaveProperty('slices')

    broken.clear()
    const third = progressOf(await started(source, out, { ...reach, resume: true }))
    expect(third.run).toMatchObject({ complete: true, rows: 40, rejects: 0, missing: [] })
    expect(third.run).not.toHaveProperty('rejected')
    expect((await idsAt(out, reach)).toSorted()).toEqual(all)
    expect(await differences(out, reach)).toEqual([])
    const left = files.names().filter((path) => /rejects|part$|checkpoint/.test(path))
    expect(left).toEqual([])

    expect(refusalOf(await started(source, out, { ...reach, resume: true }))).toBe(
      'NothingToResume',
    )
  })
})

describe('rejected rows that are read again', () => {
  it('stay rejected if the service no longer has them, and say so', async () => {
    const { source, broken, gone, ids } = service()
    const [id = ''] = await ids()
    broken.add(id)
    const files = memory()
    const out = `${DIR}/rows.ndjson`
    await started(source, out, { files })
    gone.add(id)
    const last = progressOf(await started(source, out, { files, resume: true }))
    expect(last.run).toMatchObject({
      ...{ rows: 39, rejects: 1, complete: false },
      reasons: [{ reason: 'the service has it no more', rows: 1 }],
    })
    expect(JSON.parse(files.text(`${out}.rejects.ndjson`)).row).toMatchObject({
      id,
      amount: 'none',
    })
  })

  it('are looked for in the list if single rows cannot be read, and their keys are counted', async () => {
    const files = memory()
    const options = { ...csv('id', 'n'), out: `${DIR}/items.csv` }
    const whole = { ...item(1), n: 1 }
    const bad = { ...whole, n: 2 ** 70 }
    const pages = (row: typeof whole) => listOf([good(0), [E.right(row)], good(2)])
    const before = await outcome(files, pages(bad), options)
    expect(before?.run).toMatchObject({ rows: 2, rejects: 1, distinct: 2 })
    const asked: Array<number> = []
    const list = listOf([good(0), [E.right(whole)], good(2)], asked)
    const after = await outcome(files, list, { ...options, resume: true })
    expect(asked).toEqual([0, 1, 2])
    expect(after?.run).toMatchObject({ rows: 3, rejects: 0, distinct: 3 })
    expect(files.text(options.out)).toBe('id,n\r\nid-0,0\r\nid-2,2\r\nid-1,1\r\n')
  })

  it('are left for later while the service is away, and nothing changes', async () => {
    const files = memory()
    const options = { ...csv('id', 'n'), out: `${DIR}/items.csv` }
    await outcome(files, listOf([[E.right({ id: 'id-1', n: 2 ** 70 })], good(2)]), options)
    const before = files.names().map((name) => [name, files.text(name)])
    const cut = await outcome(files, listOf([away]), { ...options, resume: true })
    expect(cut?.failure).toEqual(away)
    const state = `${options.out}.checkpoint.json`
    const isTemporary = (name: string): boolean => name === state || name.endsWith('.part')
    const after = files.names().filter((name) => !isTemporary(name))
    expect(after.map((name) => [name, files.text(name)])).toEqual(before)
    const last = await outcome(files, listOf([good(1, 2)]), { ...options, resume: true })
    expect(last?.run).toMatchObject({ complete: true, rows: 2 })
  })

  it('of an earlier run of a folder go to that run, and later runs stay', async () => {
    const { source, broken, ids } = service()
    const [id = ''] = await ids()
    broken.add(id)
    const files = memory()
    const out = `${DIR}/folder/`
    const since = { files, sinceLast: true, lookback: 0 }
    await started(source, out, since)
    broken.clear()
    progressOf(await started(source, out, since))
    const last = progressOf(await started(source, out, { ...since, resume: true }))
    expect(last.run).toMatchObject({ complete: true, rows: 40, rejects: 0 })
    const { runs } = JSON.parse(files.text(`${out}_manifest.json`))
    expect(runs).toHaveLength(2)
    expect(runs[0]).toMatchObject({ complete: true, rows: 40 })
    expect(new Set(await idsAt(out, { files })).size).toBe(CHARGES)
    expect(await differences(out, { files })).toEqual([])
  })

  it('are refused by name where the file has changed since, and nothing is changed', async () => {
    const { source, broken, ids } = service()
    const [id = ''] = await ids()
    broken.add(id)
    for (const changed of ['rows.ndjson', 'rows.ndjson.rejects.ndjson']) {
      const files = memory()
      const out = `${DIR}/rows.ndjson`
      await started(source, out, { files })
      const path = `${DIR}/${changed}`
      files.put(path, files.text(path).replace('"id"', '"ID"'))
      const before = files.names()
      const event = await started(source, out, { files, resume: true })
      expect(refusalOf(event)).toBe('ChecksumMismatch')
      expect(E.isLeft(event) ? event.left.message : '').toContain(path)
      expect(files.names()).toEqual(before)
    }
  })

  it('are refused with another query', async () => {
    const { source, broken, ids } = service()
    const [id = ''] = await ids()
    broken.add(id)
    const files = memory()
    const out = `${DIR}/rows.csv`
    await started(source, out, { files })
    const other = { files, resume: true, columns: ['id'] }
    expect(refusalOf(await started(source, out, other))).toBe('SpecMismatch')
  })

  it('are added to a table by the next sync, and removed from its rejected rows', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'payments-rx-again-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { charges, broken, ids } = service()
    const all = await ids()
    broken.add(String(all[2]))
    const to = join(folder, 'charges.sqlite')
    const rowsIn = (table: string): number => {
      const db = new DatabaseSync(to)
      const found = db.prepare(`select count(*) as n from ${table}`).get()
      db.close()
      return Number(found?.n)
    }
    const night = () => lastValueFrom(sync(charges, { to, timer: quickLooks }))
    const first = await night()
    expect([E.isRight(first) && first.right.rejects, rowsIn('charges')]).toEqual([1, 39])
    broken.clear()
    const next = await night()
    expect([E.isRight(next) && next.right.rejects, rowsIn('charges')]).toEqual([0, 40])
    expect(rowsIn('charges_rejects')).toBe(0)
  })

  it('come into an object of a bucket, and into a prefix', async () => {
    const double = await s3Double()
    try {
      for (const name of ['rows.parquet', 'rows.json', 'prefix/']) {
        const { source, broken, ids } = service()
        const all = await ids()
        broken.add(String(all[5]))
        const out = `s3://bucket/again/${name}`
        const reach = { env: double.env }
        await started(source, out, reach)
        broken.clear()
        const last = progressOf(await started(source, out, { ...reach, resume: true }))
        expect(last.run).toMatchObject({ complete: true, rows: CHARGES })
        expect((await idsAt(out, reach)).toSorted()).toEqual(all)
        expect(await differences(out, reach)).toEqual([])
      }
    } finally {
      await double.close()
    }
  })
})

/** A disk as one process sees it, which is frozen before or after one of its operations. */
class FreezingDisk {
  readonly files: Memory
  /** Operations so far. */
  count = 0
  /** Resolves when the process is frozen. */
  readonly frozen: Promise<void>
  thaw = () => {}
  #tellFrozen = () => {}
  #isFrozen = false
  readonly #thawed: Promise<void>

  constructor(disk: Memory, at = Number.POSITIVE_INFINITY, when: 'before' | 'after' = 'before') {
    this.frozen = new Promise((resolve) => {
      this.#tellFrozen = resolve
    })
    this.#thawed = new Promise((resolve) => {
      this.thaw = () => {
        this.#isFrozen = false
        resolve()
      }
    })
    const reach = async (isHere: boolean): Promise<void> => {
      if (isHere) {
        this.#isFrozen = true
        this.#tellFrozen()
      }
      if (this.#isFrozen) await this.#thawed
    }
    const gated = <F extends object>(functions: F): F =>
      new Proxy(functions, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name)
          const isOwn = ['changes', 'text', 'names', 'after', 'put'].includes(String(name))
          if (typeof member !== 'function' || isOwn) return member
          return async (...given: ReadonlyArray<unknown>) => {
            const isLast = ++this.count === at
            await reach(isLast && when === 'before')
            const answer: unknown = await member.apply(target, given)
            await reach(isLast && when === 'after')
            return typeof answer === 'object' && answer !== null && 'sync' in answer
              ? gated(answer)
              : answer
          }
        },
      })
    this.files = gated(disk)
  }
}

describe.each(['rows.ndjson', 'rows.json', 'rows.parquet', 'folder/'])(
  'a resumption of %s that is frozen',
  (name) => {
    it.each([
      ['after another one has come to its end', false],
      ['in the middle of another one', true],
    ])(`loses and repeats no row when it is thawed %s (seed ${SEED})`, async (_, isMiddle) => {
      const random = seeded(SEED)
      const { source, broken, ids } = service()
      const all = await ids()
      const [one = '', other = ''] = all
      const out = `${DIR}/${name}`
      const again = (files: Memory, resume: boolean) => started(source, out, { files, resume })
      broken.add(one).add(other)
      const first = memory()
      await again(first, false)
      broken.delete(one)
      const dry = new FreezingDisk(first.after('kill'))
      await again(dry.files, true)
      for (let game = 0; game < runs(12); game++) {
        const disk = first.after('kill')
        const at = 1 + Math.floor(random() * dry.count)
        const when = random() < 0.5 ? 'before' : 'after'
        const frozen = new FreezingDisk(disk, at, when)
        const left = again(frozen.files, true).catch(() => undefined)
        await Promise.race([frozen.frozen, left])
        const meets = isMiddle ? 1 + Math.floor(random() * dry.count) : Number.POSITIVE_INFINITY
        const later = new FreezingDisk(disk, meets)
        const running = again(later.files, true)
        await Promise.race([later.frozen, running])
        frozen.thaw()
        await left
        later.thaw()
        const played = `frozen ${when} operation ${at}, thawed at ${meets} of the other one`
        // the first one may be faster, or keep its lease
        const end = refusalOf(await running)
        expect(isMiddle ? ['it ran', 'Fenced', 'Locked'] : ['it ran'], played).toContain(end)
        if (end !== 'it ran') expect(refusalOf(await again(disk, true)), played).toBe('it ran')
        const rows = (await idsAt(out, { files: disk })).toSorted()
        expect(rows, played).toEqual(all.filter((id) => id !== other))
        expect(await differences(out, { files: disk }), played).toEqual([])
        const manifest = disk.names().find((path) => path.endsWith('manifest.json')) ?? ''
        const { runs } = JSON.parse(disk.text(manifest))
        expect(runs, played).toMatchObject([{ ended: true, rows: 39, rejects: 1 }])
      }
    })
  },
)

describe.each(['rows.ndjson', 'rows.json', 'rows.parquet', 'folder/'])(
  'a resumption of %s',
  (name) => {
    it.each(['kill', 'power cut'] as const)(
      'loses and repeats no row if a %s interrupts it',
      async (what) => {
        const { source, broken, ids } = service()
        const all = await ids()
        const [one = '', other = ''] = all
        const out = `${DIR}/${name}`
        const again = (files: Memory, resume: boolean) =>
          started(source, out, { files, resume }).catch(() => undefined)
        const begun = async (): Promise<Memory> => {
          broken.add(one).add(other)
          const files = memory()
          await again(files, false)
          broken.delete(one)
          return files
        }
        const dry = await begun()
        const before = dry.changes()
        await again(dry, true)
        const changes = dry.changes() - before
        expect(changes).toBeGreaterThan(5)
        for (let dies = 1; dies <= changes; dies += 7) {
          const killed = (await begun()).after('kill', { dies })
          await again(killed, true)
          const next = killed.after(what)
          await again(next, true)
          expect((await idsAt(out, { files: next })).toSorted()).toEqual(
            all.slice(0, 1).concat(all.slice(2)),
          )
          expect(await differences(out, { files: next })).toEqual([])
          const manifest = next.names().find((path) => path.endsWith('manifest.json')) ?? ''
          const { runs } = JSON.parse(next.text(manifest))
          expect(runs).toHaveLength(1)
          expect(runs[0]).toMatchObject({ ended: true, rows: 39, rejects: 1 })
          expect(next.names().filter((path) => /part$|checkpoint/.test(path))).toEqual([])
        }
      },
    )
  },
)
