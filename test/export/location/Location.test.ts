/** A location is read once, at the door, the same by each function that takes one; none is half read. */
import { describe, expect, it } from 'vitest'
import { createClient } from '../../../src/client/createClient.js'
import { exportTo, follow, proveCopy, readRows, sync, verify } from '../../../src/export/index.js'
import { COPIES, FILES, locationOf, MERGED } from '../../../src/export/location/Location.js'
import { Charge } from '../../../src/index.js'
import { InvalidOption } from '../../../src/options/index.js'

const { charges } = createClient({
  baseUrl: 'https://payments.example',
  credentials: { clientId: 'c', apiKey: 'k' },
})

const DOORS: ReadonlyArray<readonly [string, (text: string) => unknown]> = [
  ['exportTo', (out) => exportTo(charges.snapshot({}), { out })],
  ['its checkpoint', (checkpoint) => exportTo(charges.snapshot({}), { out: 'a.csv', checkpoint })],
  ['sync', (to) => sync(charges, { to })],
  ['follow', (to) => follow(charges, { to })],
  ['proveCopy', (copy) => proveCopy(charges, { copy })],
  ['verify', (path) => verify(path)],
  ['readRows', (path) => readRows(path, { codec: Charge })],
]

describe.each(DOORS)('%s', (_, open) => {
  it.each([
    ...['https://host/x/', 'gs://bucket/x/', 's3:/bucket/x/', 'S3://bucket/x/', 's3a://bucket/x/'],
    ...['file:///x/', 'mysql://u:p@host/x/', 'sqlite:///x.db', '~/x/', '~me/x.csv', '~/x.db'],
  ])('refuses %s', (text) => expect(() => open(text)).toThrow(InvalidOption))
})

it.each([
  ['x.csv', 'file', '', 'x.csv'],
  ['a/x.csv', 'file', 'a/', 'x.csv'],
  ['/a:b/x', 'file', '/a:b/', 'x'],
  ['~x', 'file', '', '~x'],
  ['x/', 'folder', 'x/', ''],
  ['./~/x/', 'folder', './~/x/', ''],
  ['C:/x/', 'folder', 'C:/x/', ''],
  ['C:\\x\\', 'folder', 'C:\\x\\', ''],
  ['x.db/', 'folder', 'x.db/', ''],
  ['s3://b/x.csv', 'object', 's3://b/', 'x.csv'],
  ['s3://b/x.db', 'object', 's3://b/', 'x.db'],
  ['s3://b/p/', 'bucket', 's3://b/p/', ''],
])('%s is of the kind %s', (text, kind, folder, file) => {
  expect(locationOf('out', text, FILES)).toEqual({ kind, name: text, folder, file })
})

it.each([
  ['x.db', 'sqlite', 'x.db'],
  ['a/x.sqlite', 'sqlite', 'a/x.sqlite'],
  ['postgres://u:secret@db.example/pay?sslmode=disable', 'postgres', 'postgres://db.example/pay'],
])('%s is of the kind %s, and is shown without a secret', (text, kind, name) => {
  expect(locationOf('to', text, MERGED)).toMatchObject({ kind, name })
})

it('says what it takes, and why not this', () => {
  const refusal = (text: string, kinds: typeof FILES | typeof COPIES) => () =>
    locationOf('out', text, kinds)
  const files = 'a file on this machine, FOLDER/, s3://BUCKET/FILE or s3://BUCKET/PREFIX/'
  expect(refusal('gs://b/', FILES)).toThrow(new InvalidOption('out', files))
  expect(refusal('x.db', FILES)).toThrow('.db is a database')
  expect(refusal('~/x.db', COPIES)).toThrow('only shells resolve ~')
})
