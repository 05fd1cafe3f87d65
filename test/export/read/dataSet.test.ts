/**
 * A folder or a prefix is one data set for readers that leave out names with an underscore (pyarrow, Spark, Trino, Athena):
 * all other files are of one format, and have each row once, whether the run came to its end or not. DuckDB reads them, and
 * pyarrow where Python has it.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { lastValueFrom, type Observable, takeWhile } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { s3Double } from '../../../bench/services/s3Double.js'
import { exportTo, sync } from '../../../src/export/index.js'
import { E } from '../../../src/fp.js'
import { createSandbox } from '../../../src/sandbox/index.js'
import { idleClock } from '../../support/idleClock.js'
import { sample } from '../../support/runs.js'
import { sandboxClient } from '../../support/sandboxClient.js'
import { tempFolder } from '../../support/tempFolder.js'
import { duckdb } from '../reading.js'

const timer = idleClock
const ROWS = 600
const sandbox = createSandbox({ charges: ROWS, limits: false, timer })

/** Every 50th charge has no amount. */
const fetch: typeof globalThis.fetch = async (input, init) => {
  const answer = await sandbox.fetch(input, init)
  const text = await answer.text()
  const spoiled = text.replace(/"amount":[\d.]+(,.{0,900}?"id":"[^"]*[05]0")/g, '"amount":"?"$1')
  return new Response(spoiled, answer)
}

const client = (hasRejects: boolean) => sandboxClient(hasRejects ? fetch : sandbox.fetch, { timer })

const home = tempFolder()

const hasPyarrow = (() => {
  try {
    execFileSync('python3', ['-c', 'import pyarrow.dataset'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/** The files that such a reader takes for data. */
const dataIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name))
    .filter(
      (path) =>
        !path
          .slice(folder.length)
          .split('/')
          .some((name) => /^[_.]/.test(name)),
    )

interface Output {
  readonly kind: 'export' | 'sync'
  readonly format: 'parquet' | 'ndjson'
  readonly place: 'folder' | 'bucket'
  readonly isWhole: boolean
  readonly hasRejects: boolean
}
const bools = [true, false]
const outputs: ReadonlyArray<Output> = (['export', 'sync'] as const).flatMap((kind) =>
  (['parquet', 'ndjson'] as const).flatMap((format) =>
    (['folder', 'bucket'] as const).flatMap((place) =>
      bools.flatMap((isWhole) =>
        bools.map((hasRejects) => ({ kind, format, place, isWhole, hasRejects })),
      ),
    ),
  ),
)

describe.each(sample(8, outputs))(
  '$kind in $format into a $place, whole: $isWhole, with rejects: $hasRejects',
  ({ kind, format, place, isWhole, hasRejects }) => {
    it('reads as one data set', async () => {
      const folder = mkdtempSync(join(home, 'out-'))
      const bucket = place === 'bucket' ? await s3Double() : undefined
      const to = bucket === undefined ? `${folder}/` : 's3://bucket/charges/'
      const common = { timer, ...(bucket && { env: bucket.env }) }
      const { charges } = client(hasRejects)
      const run = (): Observable<
        E.Either<unknown, { readonly rows: number; readonly ended: boolean }>
      > =>
        kind === 'sync'
          ? sync(charges, { to, format, ...common })
          : exportTo(charges.snapshot({ page_size: 50 }), {
              ...{ out: to, format, rotateRows: 100, commitEvery: 0, ...common },
            })
      const last = await lastValueFrom(
        run().pipe(
          takeWhile((event) => isWhole || E.isLeft(event) || event.right.rows < 300, true),
        ),
      )
      for (const [key, bytes] of bucket?.objects ?? []) {
        const path = join(folder, key.slice('bucket/charges/'.length))
        mkdirSync(dirname(path), { recursive: true })
        if (bytes.length > 0) writeFileSync(path, bytes)
      }
      await bucket?.close()
      const files = dataIn(`${folder}/`)
      const extension = format === 'parquet' ? /\.parquet$/ : /\.ndjson(\.zst|\.gz)?$/
      expect(files.filter((name) => !extension.test(name))).toEqual([])
      const found = files.length === 0 ? { rows: 0, ids: 0 } : await countedIn(files, format)
      expect(found.ids).toBe(found.rows)
      if (isWhole) {
        const rows = E.isRight(last) ? last.right.rows : Number.NaN
        expect(found.rows).toBe(rows)
        expect(rows < ROWS).toBe(hasRejects)
      }
      if (!hasPyarrow || files.length === 0 || format !== 'parquet') return
      const script = `import pyarrow.dataset as ds; print(ds.dataset('${folder}', format='parquet').count_rows())`
      const counted = execFileSync('python3', ['-c', script], { encoding: 'utf8' })
      expect(Number(counted)).toBe(found.rows)
    })
  },
)

/** Counts rows and ids by DuckDB. */
const countedIn = async (files: ReadonlyArray<string>, format: Output['format']) => {
  const list = `[${files.map((file) => `'${file}'`).join(', ')}]`
  const read =
    format === 'parquet'
      ? `read_parquet(${list})`
      : `read_json(${list}, format = 'newline_delimited')`
  const query = await duckdb()
  const [row] = await query(
    `SELECT count(*)::INT AS rows, count(DISTINCT id)::INT AS ids FROM ${read}`,
  )
  return { rows: Number(row?.rows), ids: Number(row?.ids) }
}
