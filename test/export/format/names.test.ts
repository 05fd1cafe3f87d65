import { expect, it } from 'vitest'
import { byExtension } from '../../../src/export/format/Format.js'

it.each([
  ['c.ndjson', { format: 'ndjson' }],
  ['c.jsonl', { format: 'ndjson' }],
  ['c.json', { format: 'json' }],
  ['C.CSV', { format: 'csv' }],
  ['c.parquet', { format: 'parquet' }],
  ['c.csv.gz', { format: 'csv', compress: 'gzip' }],
  ['c.2026-01-31.jsonl.zst', { format: 'ndjson', compress: 'zstd' }],
  ['c', {}],
  ['/dev/null', {}],
  ['out.d/c', {}],
  ['out.csv/c', {}],
  ['c.gz', { compress: 'gzip' }],
  ['c.tsv', { unknown: '.tsv' }],
  ['c.csv.bz2', { unknown: '.bz2' }],
  ['c.csv.gzip', { unknown: '.gzip' }],
  ['c.xlsx.gz', { compress: 'gzip', unknown: '.xlsx' }],
  ['c.toString', { unknown: '.tostring' }],
  ['c.', { unknown: '.' }],
])('the name %s says %j', (name, says) => {
  expect(byExtension(name)).toEqual(says)
})
