import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type FormatOptions, openFile } from '../../../src/export/index.js'
import { tempFolder } from '../../support/tempFolder.js'
import { duckdb, textOf } from '../reading.js'
import { format, rowOf } from '../rows.js'

const folder = tempFolder()

const columns = [
  'id',
  'toString:text',
  'constructor.name:text',
  '__proto__:text',
  'note.length:integer',
  'note.link:text',
  'tags.at:text',
]

/** It inherits all of these, and has none. */
const bare = rowOf({ id: 'bare', note: 'a string' })

const own = (value: unknown) => ({ value, enumerable: true })

const named = Object.defineProperties(rowOf({ id: 'named', note: 'a string' }), {
  toString: own('a'),
  constructor: own({ name: 'b' }),
  ['__proto__']: own('c'),
})

const written = async (options: FormatOptions): Promise<string> => {
  const path = join(folder, `rows.${options.format}`)
  const file = await openFile({ path, format: format(options) })
  await file.write([bare, named])
  await file.finish()
  return path
}

describe('a column that is called as something that all objects have', () => {
  it('is empty in CSV unless the row has it', async () => {
    expect(await textOf(await written({ format: 'csv', columns }), 'none')).toBe(
      `${columns.map((name) => name.replace(/:.*/, '')).join(',')}\r\n` +
        'bare,,,,,,\r\nnamed,a,b,c,,,\r\n',
    )
  })

  it('is missing in NDJSON unless the row has it', async () => {
    expect(
      await textOf(await written({ format: 'ndjson', columns: columns.slice(0, 4) }), 'none'),
    ).toBe(
      '{"id":"bare"}\n{"id":"named","toString":"a","constructor":{"name":"b"},"__proto__":"c"}\n',
    )
  })

  it('is null in Parquet unless the row has it, and no reason to put a row aside', async () => {
    const { check } = format({ format: 'parquet', columns })
    expect(check(bare)).toBeUndefined()
    const path = await written({ format: 'parquet', columns })
    const rows = await (await duckdb())(
      `select id, "toString", "constructor.name", "__proto__" proto, "note.length", "note.link", "tags.at"
       from read_parquet('${path}')`,
    )
    expect(rows.map((row) => Object.values(row))).toEqual([
      ['bare', null, null, null, null, null, null],
      ['named', 'a', 'b', 'c', null, null, null],
    ])
  })
})
