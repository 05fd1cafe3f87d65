/** Options that make no export are refused before anything is done. */
import { describe, expect, it } from 'vitest'
import { Charge } from '../../src/codec/Charge.js'
import {
  exportList,
  type FormatOptions,
  formatOf,
  jsonLines,
  openFile,
  openStream,
  type Rotation,
  targetOf,
  toFile,
  toFolder,
  toStream,
  verify,
} from '../../src/export/index.js'
import { E } from '../../src/fp.js'
import { memory } from './run/memory.js'
import { exportOf, listOf, pagesOf } from './run/playing.js'

const refused = (option: string) => ({
  name: 'InvalidOption',
  option,
  message: expect.stringMatching(`^${option} should be a `),
})

describe.each([0, -1, 1.5, Number.NaN])('%d', (n) => {
  it.each(['rows', 'bytes'] as const)('is no rotation by %s', async (by) => {
    const rotation: Rotation = { [by]: n }
    const files = memory()
    const out = '/exports/items/'
    await expect(
      toFolder({ path: out, format: jsonLines(), rotation, files }),
    ).rejects.toMatchObject(refused(`rotation.${by}`))
    expect(() => targetOf({ out, format: jsonLines(), rotation, files })).toThrow(
      expect.objectContaining(refused(`rotation.${by}`)),
    )
    expect(files.changes()).toBe(0)
  })

  it('is no row group', () => {
    expect(() => formatOf(Charge)({ format: 'parquet', rowGroup: n })).toThrow(
      expect.objectContaining(refused('rowGroup')),
    )
  })
})

it('a part may have any number of rows, or one', () => {
  const rotation = { rows: Number.POSITIVE_INFINITY, bytes: 1 }
  expect(() => targetOf({ out: 'items/', format: jsonLines(), rotation })).not.toThrow()
})

it('one file has no parts', () => {
  const target = { out: 'items.ndjson', format: jsonLines(), files: memory() }
  expect(() => targetOf({ ...target, rotation: { rows: 5 } })).toThrow(
    expect.objectContaining({ name: 'InvalidOption', option: 'rotation' }),
  )
  expect(() => targetOf({ ...target, rotation: {} })).not.toThrow()
})

describe('the name of a file', () => {
  const formatBy = (given: FormatOptions) => {
    const format = formatOf(Charge)(given)
    if (E.isLeft(format)) throw new Error(format.left.message)
    return format.right
  }

  it.each<[string, FormatOptions, string]>([
    ['x.ndjson', { format: 'parquet' }, 'NAME.parquet, and says ndjson'],
    ['x.json', { format: 'ndjson' }, 'NAME.ndjson, and says json'],
    ['x.csv.gz', { format: 'csv' }, 'NAME.csv, and says csv in gzip'],
    ['x.csv.gz', { format: 'csv', compress: 'zstd' }, 'NAME.csv.zst, and says csv in gzip'],
    ['x.json.zst', { format: 'csv' }, 'NAME.csv, and says json in zstd'],
    ['x.gz', { format: 'parquet', compress: 'gzip' }, 'NAME.parquet, and says gzip'],
  ])('%s is not one of %j', async (name, given, why) => {
    const format = formatBy(given)
    const files = memory()
    const wrong = (option: string) =>
      expect.objectContaining({
        ...refused(option),
        message: `${option} should be a name that goes with the format, such as ${why}`,
      })
    expect(() => targetOf({ out: name, format, files })).toThrow(wrong('out'))
    await expect(openFile({ path: name, format, files })).rejects.toEqual(wrong('path'))
    await expect(toFile({ path: name, format, files })).rejects.toEqual(wrong('path'))
    expect(files.changes()).toBe(0)
  })

  it.each<[string, FormatOptions]>([
    ['x.ndjson', { format: 'ndjson', compress: 'gzip' }],
    ['x.jsonl.gz', { format: 'ndjson', compress: 'gzip' }],
    ['x.parquet', { format: 'parquet' }],
    ['x.gz', { format: 'csv', compress: 'gzip' }],
    ['x.tsv', { format: 'csv' }],
    ['x', { format: 'json' }],
    ['x.csv/', { format: 'ndjson' }],
  ])('%s may be one of %j', (out, given) => {
    expect(() => targetOf({ out, format: formatBy(given) })).not.toThrow()
  })
})

it.each(['every', 'maxRejects'] as const)('%s is a number', (option) => {
  const sink = async (): Promise<void> => {}
  const list = listOf(pagesOf(1, 1)).pages()
  const wrong = expect.objectContaining({ ...refused(option), message: expect.any(String) })
  expect(() => exportList({ list, sink, rejects: sink, [option]: Number.NaN })).toThrow(wrong)
  expect(() => exportOf(memory(), listOf([]), { [option]: Number.NaN })).toThrow(wrong)
})

it('the requests that the limits allow are a number above 0', () => {
  expect(() => exportOf(memory(), listOf([]), { perSecond: 0 })).toThrow(
    expect.objectContaining(refused('perSecond')),
  )
})

/** Of the wrong type, or under a name that is none. */
type Wrong = readonly [string, Readonly<Record<string, unknown>>]

it.each<Wrong>([
  ['evry', { evry: 1_000 }],
  ['list', { list: [] }],
  ['sink', { sink: 5 }],
  ['rejects', { rejects: undefined }],
  ['commit', { commit: true }],
  ['seen', { seen: [] }],
  ['key', { key: 'id' }],
  ['every', { every: '1s' }],
  ['maxRejects', { maxRejects: '5' }],
  ['maxRejects', { maxRejects: -1 }],
  ['maxRejects', { maxRejects: 0.5 }],
  ['stop', { stop: true }],
  ['timer', { timer: 5 }],
])('no list is exported with a wrong %s', (option, options) => {
  const sink = async (): Promise<void> => {}
  const list = listOf(pagesOf(1, 1)).pages()
  expect(() => exportList({ list, sink, rejects: sink, ...options })).toThrow(
    expect.objectContaining({ name: 'InvalidOption', option }),
  )
})

it.each<Wrong>([
  ['evry', { evry: 1_000 }],
  ['sink', { sink: async () => {} }],
  ['source', { source: listOf([]).pages() }],
  ['target', { target: '/exports/items.ndjson' }],
  ['maxRejects', { maxRejects: -1 }],
  ['purpose', { purpose: 'items' }],
  ['purpose.resource', { purpose: {} }],
  ['purpose.account', { purpose: { resource: 'items', query: {} } }],
  ['purpose.query', { purpose: { resource: 'items', account: 'me', query: null } }],
  ['purpose.query.page', { purpose: { resource: 'items', account: 'me', query: { page: 5 } } }],
  ['begin', { begin: 'again' }],
  ['adds', { adds: 'yes' }],
  ['client', { client: 5 }],
  ['perSecond', { perSecond: '20' }],
  ['runner', { runner: 5 }],
  ['files', { files: '/exports' }],
])('no run has a wrong %s', (option, options) => {
  const files = memory()
  expect(() => exportOf(files, listOf([]), options)).toThrow(
    expect.objectContaining({ name: 'InvalidOption', option }),
  )
  expect(files.changes()).toBe(0)
})

it.each<Wrong>([
  ['format', { format: 'xml' }],
  ['compress', { compress: 'zip' }],
  ['columns', { columns: 'id,amount' }],
  ['columns[1]', { columns: ['id', 5] }],
  ['numbers', { numbers: true }],
  ['formulas', { formulas: 'run' }],
  ['amounts', { amounts: 'float' }],
  ['rowGroups', { rowGroups: 5 }],
])('no format has a wrong %s', (option, options) => {
  expect(() => formatOf(Charge)({ format: 'csv', ...options })).toThrow(
    expect.objectContaining({ name: 'InvalidOption', option }),
  )
})

it.each<Wrong>([
  ['compress', { compress: 'zip' }],
  ['numbers', { numbers: true }],
  ['columns', { columns: ['id'] }],
])('no lines have a wrong %s', (option, options) => {
  const wrong = expect.objectContaining({ name: 'InvalidOption', option })
  expect(() => jsonLines(options)).toThrow(wrong)
})

it.each<Wrong>([
  ['files', { files: '/exports' }],
  ['open', { ...memory() }],
])('nothing is verified with a wrong %s', (option, options) => {
  const wrong = expect.objectContaining({ name: 'InvalidOption', option })
  expect(() => verify('items.ndjson', options)).toThrow(wrong)
})

it.each<Wrong>([
  ['rotate', { rotate: { rows: 5 } }],
  ['rotation', { rotation: 5 }],
  ['rotation.row', { rotation: { row: 5 } }],
  ['format', { format: 'csv' }],
  ['files', { files: '/exports' }],
])('nothing is written to a folder with a wrong %s', async (option, options) => {
  const wrong = expect.objectContaining({ name: 'InvalidOption', option })
  const files = memory()
  const given = { format: jsonLines(), files, ...options }
  await expect(toFolder({ path: 'items/', ...given })).rejects.toEqual(wrong)
  expect(() => targetOf({ out: 'items/', ...given })).toThrow(wrong)
  expect(files.changes()).toBe(0)
})

it.each<Wrong>([
  ['path', { path: '' }],
  ['form', { form: jsonLines() }],
  ['format', { format: 'csv' }],
  ['from', { from: 5 }],
  ['files', { files: '/exports' }],
])('no file is opened with a wrong %s', async (option, options) => {
  const wrong = expect.objectContaining({ name: 'InvalidOption', option })
  const files = memory()
  const given = { path: 'items.ndjson', format: jsonLines(), files, ...options }
  await expect(openFile(given)).rejects.toEqual(wrong)
  await expect(toFile(given)).rejects.toEqual(wrong)
  expect(files.changes()).toBe(0)
})

it.each<Wrong>([
  ['stream', { stream: 5 }],
  ['stream', { stream: undefined }],
  ['format', { format: 'csv' }],
  ['close', { close: 'no' }],
  ['end', { end: false }],
])('no stream is opened with a wrong %s', async (option, options) => {
  const wrong = expect.objectContaining({ name: 'InvalidOption', option })
  const given = { stream: new WritableStream(), format: jsonLines(), ...options }
  await expect(openStream(given)).rejects.toEqual(wrong)
  await expect(toStream(given)).rejects.toEqual(wrong)
})

it('says that a format is in the Right of what formatOf answers, where that is forgotten', () => {
  const format = formatOf(Charge)({ format: 'csv' })
  expect(() => Reflect.apply(targetOf, undefined, [{ out: 'charges.csv', format }])).toThrow(
    'format should be a format: what is in the Right of formatOf, or what jsonLines gives, and is an object',
  )
})
