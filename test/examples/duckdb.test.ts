/** The example of a destination of one's own: a table of DuckDB, whose process is killed. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, expect, it } from 'vitest'
import { typeStripping } from '../../bench/services/typeStripping.js'
import { checkDestination, type Destination } from '../../src/export/index.js'

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
afterAll(() => rmSync(home, { recursive: true }))

const idsIn = async (path: string): Promise<ReadonlyArray<string>> => {
  const instance = await DuckDBInstance.create(path)
  const db = await instance.connect()
  const found = await db.runAndReadAll('SELECT id FROM charges ORDER BY id')
  const ids = found.getRowObjectsJson().map(({ id }) => String(id))
  db.closeSync()
  instance.closeSync()
  return ids
}

it('keeps the laws of destinations', { timeout: 120_000 }, async () => {
  let made = 0
  await checkDestination(
    async () => {
      const path = join(home, `${++made}.duckdb`)
      return {
        open: () => duckDestination(path),
        read: () => idsIn(path),
        row: (id) => ({ id, amount: 12.5, status: 'NEW' }),
      }
    },
    { games: 3 },
  )
})

/** An export of 3,000 charges of a sandbox, a commit a page, in a process of its own. */
const program = (path: string): string => `
import { duckDestination } from '${EXAMPLE}'
import { createClient } from 'payments-rx'
import { exportTo } from 'payments-rx/export'
import { createSandbox, sandboxCredentials } from 'payments-rx/sandbox'
import { lastValueFrom } from 'rxjs'
const { fetch } = createSandbox({ charges: 3_000, limits: false, seed: 7 })
const payments = createClient({ baseUrl: 'https://sandbox', credentials: sandboxCredentials, fetch })
const list = payments.charges.snapshot({ page_size: 100 })
const run = async (resume) => lastValueFrom(exportTo(list, { out: await duckDestination('${path}'), resume, commitEvery: 0, lease: 500 }))
let end = await run(true)
if (end._tag === 'Left' && end.left._tag === 'NothingToResume') end = await run(false)
if (end._tag === 'Left') { console.log(end.left.message); process.exit(1) }
`

const started = (path: string, killAfter?: number): Promise<number | null> =>
  new Promise((resolve) => {
    const root = join(import.meta.dirname, '../..')
    const args = [...typeStripping, '--input-type=module', '-e', program(path)]
    const child = spawn(process.execPath, args, { cwd: root })
    const killing = killAfter && setTimeout(() => child.kill('SIGKILL'), killAfter)
    child.on('close', (code) => {
      clearTimeout(killing)
      resolve(code)
    })
  })

it('has each row once after kills', { timeout: 120_000 }, async () => {
  const path = join(home, 'killed.duckdb')
  let code: number | null = null
  for (let kills = 0; code !== 0 && kills < 30; kills++) {
    code = await started(path, kills < 2 ? 1_000 + 500 * kills : undefined)
  }
  expect(code).toBe(0)
  const ids = await idsIn(path)
  expect([ids.length, new Set(ids).size]).toEqual([3_000, 3_000])
})
