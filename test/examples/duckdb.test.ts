/** The example of a destination of one's own: a table of DuckDB, whose process is killed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { DuckDBInstance } from '@duckdb/node-api'
import { lastValueFrom, map, type Observable, toArray } from 'rxjs'
import { afterAll, expect, it } from 'vitest'
import { typeStripping } from '../../bench/services/typeStripping.js'
import { checkDestination, type Destination, sync } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { type Client, createClient } from '../../src/index.js'
import { createSandbox, sandboxCredentials } from '../../src/sandbox/index.js'
import { runs, SEED } from '../support/runs.js'

const EXAMPLE = join(import.meta.dirname, '../../docs/examples/duckdb.ts')

interface Row {
  readonly id: string
  readonly amount: number
  readonly status: string
}

/** The example, which imports the package as users do. */
const { duckDestination }: { duckDestination: (path: string) => Promise<Destination<Row>> } =
  await import(EXAMPLE)

const home = mkdtempSync(join(tmpdir(), 'payments-rx-duckdb-'))
/** Databases stay open meanwhile: each opening costs as much as a hundred queries. */
const open: Array<DuckDBInstance> = []
afterAll(() => {
  for (const instance of open) instance.closeSync()
  rmSync(home, { recursive: true })
})

const query = async (path: string, sql: string) => {
  const instance = await DuckDBInstance.fromCache(path)
  const db = await instance.connect()
  try {
    return (await db.runAndReadAll(sql)).getRowObjectsJson()
  } finally {
    db.closeSync()
    instance.closeSync()
  }
}

const idsIn = async (path: string): Promise<ReadonlyArray<string>> =>
  (await query(path, 'SELECT id FROM charges ORDER BY id')).map(({ id }) => String(id))

it('keeps the laws of destinations', async () => {
  let made = 0
  await checkDestination(
    async () => {
      const path = join(home, `${++made}.duckdb`)
      open.push(await DuckDBInstance.fromCache(path))
      return {
        open: () => duckDestination(path),
        read: async () =>
          (await query(path, 'SELECT id, amount FROM charges')).map(({ id, amount }) => ({
            key: String(id),
            version: Number(amount),
          })),
        row: (id, version) => ({ id, amount: version, status: 'NEW' }),
        plant: () => query(path, 'CREATE TABLE notes (note TEXT)'),
        planted: () =>
          query(path, 'SELECT * FROM notes').then(
            () => true,
            () => false,
          ),
      }
    },
    { games: runs(2), seed: SEED },
  )
})

const idsOf = (list: Observable<E.Either<unknown, { readonly id: string }>>) =>
  lastValueFrom(
    list.pipe(
      map((row) => (E.isRight(row) ? row.right.id : '')),
      toArray(),
    ),
  )

type SyncTo = (client: Client, to: Destination<Row>) => ReturnType<typeof sync>

/** Batches have no amount. */
const withAmounts = (to: Destination<Row>): Destination<Omit<Row, 'amount'>> => ({
  ...to,
  check: () => undefined,
  write: (rows, slice) =>
    to.write(
      rows.map((row) => ({ ...row, amount: 0 })),
      slice,
    ),
})

it.each<[string, SyncTo, (client: Client) => Promise<ReadonlyArray<string>>]>([
  ['charges', ({ charges }, to) => sync(charges, { to }), ({ charges }) => idsOf(charges.list())],
  [
    'a list that is replaced',
    ({ batchTransfers }, to) => sync(batchTransfers.list(), { to: withAmounts(to) }),
    ({ batchTransfers }) => idsOf(batchTransfers.list()),
  ],
])('has each row of %s once after three nights of sync', async (name, syncTo, listed) => {
  const path = join(home, `${name}.duckdb`)
  for (const [charges, batches] of [
    [60, 12],
    [70, 9],
    [70, 15],
  ]) {
    const { fetch } = createSandbox({ charges, batches, seed: 3, limits: false })
    const client = createClient({
      baseUrl: 'https://sandbox',
      credentials: sandboxCredentials,
      fetch,
    })
    const last = await lastValueFrom(syncTo(client, await duckDestination(path)))
    expect(last).toMatchObject({ right: { ended: true } })
    expect(await idsIn(path)).toEqual([...(await listed(client))].sort())
  }
})

/** An export of 600 charges of a sandbox, a commit a page, in a process of its own, which says each request. */
const program = (path: string): string => `
import { duckDestination } from '${EXAMPLE}'
import { createClient } from 'payments-rx'
import { exportTo } from 'payments-rx/export'
import { createSandbox, sandboxCredentials } from 'payments-rx/sandbox'
import { lastValueFrom } from 'rxjs'
const sandbox = createSandbox({ charges: 600, limits: false, seed: 7 })
const fetch = (...request) => {
  process.stdout.write('request')
  return sandbox.fetch(...request)
}
const payments = createClient({ baseUrl: 'https://sandbox', credentials: sandboxCredentials, fetch })
const list = payments.charges.snapshot({ page_size: 20 })
const end = await lastValueFrom(exportTo(list, { out: await duckDestination('${path}'), resume: true, commitEvery: 0, lease: 500 }))
if (end._tag === 'Left') { console.error(end.left.message); process.exit(1) }
`

/** Runs the program, which is killed at a request. */
const ended = async (path: string, killAt = Number.POSITIVE_INFINITY) => {
  const root = join(import.meta.dirname, '../..')
  const args = [...typeStripping, '--input-type=module', '-e', program(path)]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let requests = ''
  child.stdout.on('data', (more) => {
    requests += more
    if (requests.length >= killAt * 'request'.length) child.kill('SIGKILL')
  })
  const said = text(child.stderr)
  const [status, signal] = await once(child, 'close')
  return { end: status ?? signal, said: await said }
}

it('has each row once after kills', async () => {
  const path = join(home, 'killed.duckdb')
  for (const killAt of [8, 12]) expect((await ended(path, killAt)).end).toBe('SIGKILL')
  let last = await ended(path)
  while (/in use|lock/i.test(last.said)) last = await ended(path) // of the one that was killed
  expect(last).toEqual({ end: 0, said: '' })
  const ids = await idsIn(path)
  expect([ids.length, new Set(ids).size]).toEqual([600, 600])
})
