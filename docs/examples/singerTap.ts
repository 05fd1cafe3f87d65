/** Prints charges as Singer messages: SCHEMA, RECORDs with exact digits, and each STATE after the rows that it covers. */
import { existsSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { Charge, createClient, type SnapshotPosition } from 'payments-rx'
import { type ColumnType, formatOf, knownColumns, openStream } from 'payments-rx/export'

/** Tells the next run where to continue: in an unfinished snapshot, or with charges that are new or may have changed. */
interface Bookmark {
  /** Start of the snapshot's time range. */
  readonly since?: string
  readonly position?: SnapshotPosition
  /** Creation time of the newest charge read so far. */
  readonly newest?: string
}

/** How long a charge may change after its creation, in ms. */
const LOOKBACK = 7 * 86_400_000

const JSON_TYPES: Readonly<Record<ColumnType, object>> = {
  text: { type: ['null', 'string'] },
  time: { type: ['null', 'string'], format: 'date-time' },
  boolean: { type: ['null', 'boolean'] },
  integer: { type: ['null', 'integer'] },
  decimal: { type: ['null', 'number'], multipleOf: 0.0001 }, // makes targets use decimal columns
  json: { type: ['null', 'object', 'array', 'string', 'number', 'boolean'] },
}
const columns = knownColumns(Charge)
const times = columns.filter(({ type }) => type === 'time').map(({ name }) => name)
const rfc3339 = (time: string): string => time.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')

/** Returns a row with its times in RFC 3339. Spreading it keeps the digits of its numbers. */
const recordOf = (charge: Charge): object => {
  const dated = Object.entries(charge).filter(([name]) => times.includes(name))
  return { ...charge, ...Object.fromEntries(dated.map(([name, time]) => [name, rfc3339(time)])) }
}

// runners pass other options as well
const { state } = parseArgs({ options: { state: { type: 'string' } }, strict: false }).values
const given = typeof state === 'string' && existsSync(state) ? readFileSync(state, 'utf8') : ''
const before: Bookmark = JSON.parse(given.trim() || '{}').bookmarks?.charges ?? {}

const messages = formatOf(t.type({ type: t.string }))({ format: 'ndjson' })
const out = await openStream({ stream: process.stdout, format: messages, close: false })
const tell = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`)
const stream = 'charges'
const properties = Object.fromEntries(columns.map(({ name, type }) => [name, JSON_TYPES[type]]))
const schema = { type: 'object', properties }
tell({ type: 'SCHEMA', stream, schema, key_properties: ['id'] })

const { since } = before
const { charges } = createClient({ numbers: 'exact' })
const snapshot = charges.snapshot(since === undefined ? {} : { from_created_at: since })
let newest = before.newest
for await (const page of before.position ? snapshot.from(before.position).pages : snapshot.pages) {
  if (E.isLeft(page)) throw new Error(page.left.message) // the next run continues at the last STATE
  const records = []
  for (const item of page.right.items) {
    if (E.isLeft(item)) {
      process.stderr.write(`a row is left out: ${item.left.message}\n`)
      process.exitCode = 1
      continue
    }
    const record = recordOf(item.right)
    const created = new Date(item.right.created_at).toISOString()
    if (newest === undefined || created > newest) newest = created
    records.push({ type: 'RECORD', stream, record })
  }
  await out.write(records)
  const rest: Bookmark = O.isSome(page.right.next)
    ? { ...(since ? { since } : {}), position: page.right.next.value }
    : newest
      ? { since: new Date(Date.parse(newest) - LOOKBACK).toISOString() }
      : {}
  const bookmark = { ...rest, ...(newest ? { newest } : {}) }
  tell({ type: 'STATE', value: { bookmarks: { charges: bookmark } } })
}
await out.finish()
