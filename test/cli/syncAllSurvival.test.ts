/** `sync all` as it is installed, killed (SIGKILL) again and again: all lists are exact after the run that is let be. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { firstValueFrom, lastValueFrom, toArray } from 'rxjs'
import { afterAll, expect, it } from 'vitest'
import { begin, kill } from '../../bench/kills/syncNights.js'
import { seeded } from '../../bench/simulated/random.js'
import { BatchItem } from '../../src/codec/BatchItem.js'
import { fieldsOf } from '../../src/decode/unknown.js'
import { readRows, verify } from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { createClient, unlimited } from '../../src/index.js'
import { createSandbox, listen, sandboxCredentials } from '../../src/sandbox/index.js'
import { builtCommand } from '../support/built.js'
import { sample } from '../support/runs.js'

const main = await builtCommand()
const home = mkdtempSync(join(tmpdir(), 'payments-rx-sync-all-'))
afterAll(() => rmSync(home, { recursive: true }))

/** The ids of the items of each batch, as the service has them. */
const itemsAt = async (url: string): Promise<ReadonlyArray<string>> => {
  const { batchTransfers } = createClient({
    ...{ baseUrl: url, credentials: sandboxCredentials, limits: unlimited },
  })
  const batches = await lastValueFrom(batchTransfers.list().pipe(toArray()))
  const ids: Array<string> = []
  for (const batch of batches) {
    if (E.isLeft(batch)) throw batch.left
    const { id } = batch.right
    const items = await firstValueFrom(batchTransfers.items({ id }).pipe(toArray()))
    ids.push(...items.map((item) => (E.isRight(item) ? `${id} ${item.right.id}` : '')))
  }
  return ids.sort()
}

const placed = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>): ReadonlyArray<string> =>
  rows.map(({ id, batch_id }) => `${batch_id} ${id}`).sort()

const PLACES = [
  ['a database', 'all.sqlite'],
  ['folders', 'all/'],
] as const

it.concurrent.each(sample(1, PLACES))('is exact in %s', async (_, dest) => {
  const sandbox = createSandbox({ charges: 600, batches: 40, limits: false, latency: 5 })
  const { url, close } = await listen(sandbox)
  const service = { url, requests: () => sandbox.stats().requests, nextNight: () => {} }
  const to = join(home, dest)
  const args = [
    ...[main, 'sync', 'all', to, '--base-url', url, '--no-limits'],
    ...['--client-id', 'sandbox', '--api-key', 'sandbox-key', '--environment', 'test'],
    ...['--page-size', '50', '--lease', '200ms', '--progress', 'none'],
  ]
  const random = seeded(7)
  for (let killed = 0; killed < 2; killed++) {
    const after = 1 + Math.floor(random() * 90)
    await begin({ service, args }, after, kill).ended
  }
  const { status, stderr } = await begin({ service, args }).ended
  expect({ status, stderr }).toMatchObject({ status: 0 })
  expect(stderr).toMatch(/^batch-items: complete: row counts match .* of 40 batches/m)
  const there = await itemsAt(url)
  if (dest.endsWith('/')) {
    const rows = await lastValueFrom(
      readRows(`${to}batch-items/`, { codec: BatchItem }).pipe(toArray()),
    )
    expect(placed(rows.flatMap((row) => (E.isRight(row) ? [fieldsOf(row.right)] : [])))).toEqual(
      there,
    )
    for (const list of ['charges', 'batch-items', 'batch-transfers']) {
      const checks = await lastValueFrom(verify(`${to}${list}/`).pipe(toArray()))
      for (const check of checks) expect(check).toMatchObject({ right: { differences: [] } })
    }
  } else {
    const db = new DatabaseSync(to)
    expect(
      placed(db.prepare('select id, batch_id from batch_items where _gone_at is null').all()),
    ).toEqual(there)
    expect(db.prepare('select count(*) as n from charges').get()).toEqual({ n: 600 })
    db.close()
  }
  await close()
})
