import { appendFile, open, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { compressions, formatNames } from '../../../src/export/format/Format.js'
import { type FilePosition, type Format, openFile } from '../../../src/export/index.js'
import { runs } from '../../support/runs.js'
import { tempFolder } from '../../support/tempFolder.js'
import { duckdb, type Query, textOf } from '../reading.js'
import { format, pages, type Row, rowOf } from '../rows.js'

const folder = tempFolder()
let query: Query
beforeAll(async () => {
  query = await duckdb()
})

const all = formatNames.flatMap((name) => compressions.map((compress) => ({ name, compress })))

/** Rows of the file, whatever its frames and row groups. */
const content = async (path: string, { name, compress }: Format<Row>): Promise<string> =>
  name === 'parquet'
    ? JSON.stringify(await query(`select * from read_parquet('${path}')`))
    : textOf(path, compress)

const without = async (
  path: string,
  format: Format<Row>,
  given: ReadonlyArray<ReadonlyArray<Row>>,
) => {
  const file = await openFile({ path, format })
  for (const page of given) await file.write(page)
  return file.finish()
}

const garbage = fc.uint8Array({ maxLength: 200 })

describe.each(all)('$name, $compress', ({ name, compress }) => {
  it('goes on after any mark as if nothing had happened, whatever came after it', async () => {
    const how = format({ format: name, compress, rowGroup: 4 })
    const step = fc.constantFrom('write', 'commit', 'tear')
    await fc.assert(
      fc.asyncProperty(
        pages,
        fc.array(step, { maxLength: 12 }),
        garbage,
        async (given, steps, torn) => {
          const path = join(folder, `${name}.${compress}`)
          let mark: FilePosition | undefined
          let [written, committed] = [0, 0]
          let file = await openFile({ path, format: how })
          for (const step of steps) {
            if (step === 'write') {
              const page = given[written]
              if (page !== undefined) await file.write(page)
              written = Math.min(given.length, written + 1)
            } else if (step === 'commit') {
              mark = JSON.parse(JSON.stringify(await file.commit()))
              committed = written
            } else {
              await file.abandon()
              await appendFile(path, torn)
              file = await openFile({ path, format: how, ...(mark && { from: mark }) })
              written = committed
            }
          }
          for (const page of given.slice(written)) await file.write(page)
          const summary = await file.finish()
          expect(summary.rows).toBe(given.flat().length)
          expect(summary.bytes).toBe((await stat(path)).size)

          const whole = join(folder, `${name}.${compress}.whole`)
          await without(whole, how, given)
          expect(await content(path, how)).toBe(await content(whole, how))
        },
      ),
      { numRuns: runs(name === 'parquet' ? 15 : 40) },
    )
  })
})

describe('a file of rows', () => {
  it.each(formatNames)('%s: takes nothing after its end, and says so', async (name) => {
    const path = join(folder, `late.${name}`)
    const end = async (how: 'finish' | 'abandon') => {
      const file = await openFile({ path, format: format({ format: name }) })
      await file.write([rowOf({})])
      await file[how]()
      return file
    }
    const ended = await end('finish')
    const before = await readFile(path)
    const late = 'nothing more can be written after finish'
    await expect(ended.write([rowOf({})])).rejects.toThrow(late)
    await expect(ended.commit()).rejects.toThrow(late)
    await expect(ended.finish()).rejects.toThrow(late)
    await ended.abandon()
    expect(await readFile(path)).toEqual(before)
    await expect((await end('abandon')).write([rowOf({})])).rejects.toThrow(
      `: nothing more can be written after abandon`,
    )
  })
})

it('is durable where handles cannot sync themselves, as those that Yarn gives', async () => {
  const path = join(folder, 'no-sync.ndjson')
  const probe = await open(path, 'w')
  await probe.close()
  const sync = vi.spyOn(Object.getPrototypeOf(probe), 'sync')
  sync.mockRejectedValue(new Error('Method not implemented.'))
  const file = await openFile({ path, format: format({ format: 'ndjson' }) })
  await file.write([rowOf({ id: 'a' })])
  expect(await file.finish().finally(() => sync.mockRestore())).toMatchObject({ rows: 1 })
  expect(await textOf(path, 'none')).toContain('"a"')
})
