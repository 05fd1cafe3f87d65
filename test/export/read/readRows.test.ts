/** Files of exports, read back as rows. */
import { appendFile, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import * as t from 'io-ts'
import { lastValueFrom, take, toArray } from 'rxjs'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { s3Double } from '../../../bench/services/s3Double.js'
import { digitsOf, minorUnitsOf, parseExact } from '../../../src/decode/index.js'
import {
  type ExportError,
  exportTo,
  type FormatOptions,
  formatOf,
  openFile,
  readRows,
} from '../../../src/export/index.js'
import { E, O } from '../../../src/fp.js'
import { Charge, InvalidOption } from '../../../src/index.js'
import { createSandbox } from '../../../src/sandbox/index.js'
import { idleClock, virtualTime } from '../../support/idleClock.js'
import { CHARGE } from '../../support/lab.js'
import { runs } from '../../support/runs.js'
import { sandboxClient } from '../../support/sandboxClient.js'
import { tempFolder } from '../../support/tempFolder.js'
import { format, pages, Row } from '../rows.js'

const home = tempFolder()

const read = <A>(path: string, codec: t.Type<A, unknown, unknown>) =>
  lastValueFrom(readRows(path, { codec }).pipe(toArray()))

const rights = <A>(all: ReadonlyArray<E.Either<ExportError, A>>): ReadonlyArray<A> =>
  all.map((ea) => {
    if (E.isLeft(ea)) throw ea.left
    return ea.right
  })

const FORMATS = [
  [{ format: 'ndjson' }, 'ndjson'],
  [{ format: 'ndjson', compress: 'gzip' }, 'ndjson.gz'],
  [{ format: 'ndjson', compress: 'zstd' }, 'ndjson.zst'],
  [{ format: 'json' }, 'json'],
  [{ format: 'json', compress: 'zstd' }, 'json.zst'],
  [{ format: 'csv' }, 'csv'],
  [{ format: 'csv', compress: 'gzip' }, 'csv.gz'],
  [{ format: 'parquet' }, 'parquet'],
  [{ format: 'parquet', compress: 'gzip' }, 'parquet'],
  [{ format: 'parquet', amounts: 'text' }, 'parquet'],
] as const satisfies ReadonlyArray<readonly [FormatOptions, string]>

/** Without the digits that are kept beside numbers. */
const said = (u: unknown): unknown => JSON.parse(JSON.stringify(u))

/** Null, missing, and an object of nothing else are the same in columns. */
const withoutNulls = (u: unknown): unknown => {
  if (typeof u !== 'object' || u === null || Array.isArray(u)) return u
  const fields = Object.entries(u).flatMap(([key, value]) => {
    const inner = key === 'metadata' ? value : withoutNulls(value)
    return inner === null || inner === undefined ? [] : [[key, inner] as const]
  })
  return fields.length === 0 ? undefined : Object.fromEntries(fields)
}

describe.each(FORMATS)('a file of %j', (options, extension) => {
  const path = () => join(home, `rows.${extension}`)

  it('has the rows that were written, whatever is in them', () =>
    fc.assert(
      fc.asyncProperty(pages, async (given) => {
        const file = await openFile({ path: path(), format: format({ rowGroup: 7, ...options }) })
        for (const page of given) {
          await file.write(page)
          await file.commit()
        }
        await file.finish()
        const hasColumns = options.format === 'csv' || options.format === 'parquet'
        const same = hasColumns ? withoutNulls : said
        expect(
          rights(await read(path(), Row))
            .map(said)
            .map(same),
        ).toEqual(given.flat().map(same))
      }),
      { numRuns: runs(40) },
    ))

  it('has sums to the last digit', async () => {
    const amounts = ['0.1', '0.2', '12.50', '90071992547409.93', '-0.0001', '99999999999999.9999']
    const rows = amounts.map((amount, i) => {
      const row = Charge.decode(
        parseExact(JSON.stringify({ ...CHARGE, id: `${i}` }).replace('9.99', amount)),
      )
      if (E.isLeft(row)) throw new Error(amount)
      return row.right
    })
    const file = await openFile({ path: path(), format: formatOf(Charge)({ ...options }) })
    await file.write(rows)
    await file.finish()
    const found = rights(await read(path(), Charge)).map((row) => digitsOf('amount')(row))
    const kept = amounts.map((text) =>
      options.format === 'parquet' && !('amounts' in options) && text === '12.50' ? '12.5' : text,
    )
    expect(found).toEqual(kept.map(O.some))
  })
})

describe('readRows', () => {
  const lines = async (name: string, ...rows: ReadonlyArray<unknown>): Promise<string> => {
    const path = join(home, name)
    const text = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row)))
    await writeFile(path, text.map((line) => `${line}\n`).join(''))
    return path
  }

  it('gives rows the type of their codec, as values and as an async iterable', async () => {
    const path = await lines('typed.ndjson', CHARGE, CHARGE)
    const rows = readRows(path, { codec: Charge })
    expectTypeOf(await lastValueFrom(rows)).toEqualTypeOf<E.Either<ExportError, Charge>>()
    let sum = 0n
    for await (const row of rows) {
      if (E.isLeft(row)) throw row.left
      const units = minorUnitsOf('amount')(row.right)
      if (E.isRight(units)) sum += units.right
    }
    expect(sum).toBe(1998n)
  })

  it('opens nothing before it is subscribed to, and closes what it left early', async () => {
    const path = join(home, 'late.ndjson')
    const rows = readRows(path, { codec: Charge })
    await lines('late.ndjson', ...Array.from({ length: 5_000 }, () => CHARGE))
    expect(await lastValueFrom(rows.pipe(take(3), toArray()))).toHaveLength(3)
    for await (const row of rows) {
      expect(E.isRight(row)).toBe(true)
      break
    }
  })

  it('says of a row that is none which one it is, and reads on', async () => {
    const path = await lines('odd.ndjson', CHARGE, { ...CHARGE, amount: 'secret' }, '{', CHARGE)
    const all = await read(path, Charge)
    expect(all.map(E.isRight)).toEqual([true, false, false, true])
    expect(all.filter(E.isLeft).map(({ left }) => left)).toMatchObject([
      {
        _tag: 'UnreadableRow',
        row: 2,
        causes: [{ path: 'amount' }],
        message: expect.stringMatching(/odd\.ndjson: row 2 does not match: amount should be /),
      },
      { _tag: 'UnreadableRow', row: 3 },
    ])
    expect(JSON.stringify(all)).not.toContain('secret')
  })

  it.each(FORMATS)('says of %j that it was cut off', async (options, extension) => {
    const path = join(home, `cut.${extension}`)
    const rows = await openFile({ path, format: formatOf(Charge)(options) })
    const charge = Charge.decode(CHARGE)
    if (E.isLeft(charge)) throw new Error('no charge')
    await rows.write([charge.right, charge.right])
    await rows.finish()
    await truncate(path, (await readFile(path)).length - 3)
    const all = await read(path, Charge)
    expect(all.at(-1)).toMatchObject({ left: { _tag: 'Damaged', path } })
  })

  it('says that a file of zstd was cut off, at any byte', async () => {
    const path = join(home, 'any.ndjson.zst')
    const rows = await openFile({
      path,
      format: formatOf(Charge)({ format: 'ndjson', compress: 'zstd' }),
    })
    const charge = Charge.decode(CHARGE)
    if (E.isLeft(charge)) throw new Error('no charge')
    await rows.write([charge.right])
    await rows.finish()
    for (let length = (await readFile(path)).length - 1; length > 0; length--) {
      await truncate(path, length)
      expect(await read(path, Charge)).toMatchObject([{ left: { _tag: 'Damaged', path } }])
    }
  })

  it('says that there is no file', async () => {
    const path = join(home, 'none.csv')
    expect(await read(path, Charge)).toMatchObject([
      { left: { _tag: 'ReadFailed', code: 'ENOENT', path } },
    ])
  })

  it('reads a file of some columns with the codec of these', async () => {
    const path = join(home, 'some.csv')
    await writeFile(path, 'amount,id,note\r\n12.50,a,"x, ""y"""\r\n3,b,\r\n')
    const codec = t.intersection([
      t.type({ id: t.string, amount: t.number }),
      t.partial({ note: t.string }),
    ])
    expect(said(rights(await read(path, codec)))).toEqual([
      { id: 'a', amount: 12.5, note: 'x, "y"' },
      { id: 'b', amount: 3 },
    ])
  })

  it('reads the files of a folder, by its manifest', async () => {
    const { timer, run } = virtualTime()
    const out = join(home, 'charges/')
    const { fetch } = createSandbox({ charges: 250, timer })
    const payments = sandboxClient(fetch, { timer })
    const source = payments.charges.snapshot()
    const done = await run(
      lastValueFrom(exportTo(source, { out, format: 'csv', rotateRows: 100, timer })),
    )
    expect(done).toMatchObject({ right: { rows: 250 } })
    const expected = await run(lastValueFrom(payments.charges.snapshot().pipe(toArray())))
    expect(said(await read(out, Charge))).toEqual(said(expected))
    expect(said(await read(out.slice(0, -1), Charge))).toEqual(said(expected))
    const [part = ''] = (await readdir(out)).filter((name) => name.startsWith('part-'))
    await appendFile(join(out, part), 'chg_1,2') // written, and not committed
    expect(said(await read(out, Charge))).toEqual(said(expected))
    expect(await read(`${home}/`, Charge)).toMatchObject([{ left: { _tag: 'NoManifest' } }])
  })

  it('reads from object storage', async () => {
    const double = await s3Double({})
    const timer = idleClock
    const { fetch } = createSandbox({ charges: 120, limits: false, timer })
    const payments = sandboxClient(fetch, { timer })
    try {
      const { env } = double
      for (const name of ['charges.parquet', 'charges.csv.gz', 'charges/']) {
        const out = `s3://bucket/${name}`
        await lastValueFrom(exportTo(payments.charges.snapshot(), { out, env, timer }))
        const rows = readRows(out, { codec: Charge, env, timer })
        expect(rights(await lastValueFrom(rows.pipe(toArray())))).toHaveLength(120)
      }
      const none = readRows('s3://bucket/none.csv', { codec: Charge, env, timer })
      expect(await lastValueFrom(none)).toMatchObject({
        left: { _tag: 'ReadFailed', path: 's3://bucket/none.csv' },
      })
    } finally {
      await double.close()
    }
  })

  it('asks for the format of a name that does not tell it', async () => {
    const path = await lines('rows.txt', CHARGE)
    expect(await read(path, Charge)).toMatchObject([
      {
        left: {
          _tag: 'UnusablePath',
          message: expect.stringContaining(
            'set the option format, because the extension .txt is unknown',
          ),
        },
      },
    ])
    const rows = readRows(path, { codec: Charge, format: 'ndjson' })
    expect(await lastValueFrom(rows)).toMatchObject({ right: { id: CHARGE.id } })
  })

  it.each([
    [{}, 'readRows: codec should be a codec of rows, such as Charge, but is missing'],
    [{ codec: Charge, format: 'xml' }, 'readRows: format should be one of '],
    [{ codec: Charge, file: 1 }, 'readRows: file should be omitted'],
  ])('refuses %o', (options, message) => {
    expect(() => readRows('a.csv', options as never)).toThrow(InvalidOption)
    expect(() => readRows('a.csv', options as never)).toThrow(message)
  })
})
