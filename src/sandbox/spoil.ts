/** Answers that are not what the interface says: bodies changed after they were written. */
import { type Bytes, decoded, encoded } from './account/ascii.js'
import type { FaultName } from './faults.js'
import type { Reply } from './Reply.js'

type Fields = Readonly<Record<string, unknown>>

const isRecord = (u: unknown): u is Fields =>
  typeof u === 'object' && u !== null && !Array.isArray(u)

/** Changes the object that was answered, or those of the list that pass. */
const each =
  (change: (row: Fields) => Fields, passes: (n: number, size: number) => boolean) =>
  (body: Bytes): Bytes => {
    const all: unknown = JSON.parse(decoded(body))
    if (!isRecord(all)) return body
    const { items } = all
    if (!Array.isArray(items)) return encoded(JSON.stringify(change(all)))
    return encoded(
      JSON.stringify({
        ...all,
        items: items.map((row: unknown, n) =>
          isRecord(row) && passes(n, items.length) ? change(row) : row,
        ),
      }),
    )
  }

const every = () => true

const bodies: { readonly [Name in FaultName]?: (body: Bytes) => Bytes } = {
  'malformed-row': each(
    (row) => ({ ...row, amount: {} }),
    (n, size) => n === Math.floor(size / 2),
  ),
  'unknown-field': each((row) => ({ ...row, sandbox_field: { nested: [1, null, 'text'] } }), every),
  'unknown-enum': each(
    (row) => ('status' in row ? { ...row, status: 'SANDBOX_STATUS' } : row),
    every,
  ),
}

/** The reply as this fault leaves it. Refusals are not spoilt. */
export const spoil =
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
