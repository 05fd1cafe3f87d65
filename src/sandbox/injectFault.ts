/** Answers that are not what the interface says: bodies changed after they were written. */
import { isRecord, parsed } from '../decode/unknown.js'
import { type Bytes, decoded, encoded } from './account/ascii.js'
import type { FaultName } from './faults.js'
import type { Reply } from './Reply.js'

type Fields = Readonly<Record<string, unknown>>

type Passes = (n: number, size: number) => boolean

const rowsOf = (
  rows: ReadonlyArray<unknown>,
  change: (row: Fields) => Fields,
  passes: Passes,
): ReadonlyArray<unknown> =>
  rows.map((row, n) => (isRecord(row) && passes(n, rows.length) ? change(row) : row))

/** Changes the object that was answered, or those of the list that pass. Sessions and texts stay as they are. */
const each =
  (change: (row: Fields) => Fields, passes: Passes) =>
  (body: Bytes): Bytes => {
    const all = parsed(decoded(body))
    if (Array.isArray(all)) return encoded(JSON.stringify(rowsOf(all, change, passes)))
    if (!isRecord(all) || 'token' in all) return body
    const { items } = all
    return encoded(
      JSON.stringify(
        Array.isArray(items) ? { ...all, items: rowsOf(items, change, passes) } : change(all),
      ),
    )
  }

const every = () => true

/** The field that is to become an object: the amount, or what a row is told by. */
const vital = (row: Fields): string =>
  ['amount', 'id', 'card_brand', 'type', 'currency'].find((name) => name in row) ??
  Object.keys(row)[0] ??
  'id'

/** Fields with values that may be added to. */
const enumerations = ['status', 'card_brand', 'type']

const unknownEnum = (row: Fields): Fields =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      enumerations.includes(name) && typeof value === 'string' ? 'SANDBOX_STATUS' : value,
    ]),
  )

const bodies: { readonly [Name in FaultName]?: (body: Bytes) => Bytes } = {
  'malformed-row': each(
    (row) => ({ ...row, [vital(row)]: {} }),
    (n, size) => n === Math.floor(size / 2),
  ),
  'unknown-field': each((row) => ({ ...row, sandbox_field: { nested: [1, null, 'text'] } }), every),
  'unknown-enum': each(unknownEnum, every),
}

/** The reply as this fault leaves it. Refusals are not spoilt. */
export const injectFault =
  (fault: FaultName | undefined) =>
  (reply: Reply): Reply => {
    switch (fault) {
      case 'reset-after':
        return { ...reply, manner: 'reset' }
      case 'no-answer':
        return { ...reply, manner: 'silent' }
      case 'cut-off':
      case 'stall':
      case 'slow':
        return { ...reply, manner: fault }
      default: {
        const change = fault === undefined || reply.status >= 400 ? undefined : bodies[fault]
        return change === undefined ? reply : { ...reply, body: change(reply.body) }
      }
    }
  }
