/** Faults that a sandbox injects. They are random, planned by the caller, or requested by a header. */
import { isRecord, parsed } from '../decode/unknown.js'
import type { IO } from '../fp.js'
import type { Reply } from './Reply.js'

export const faultNames = Object.freeze([
  '429',
  '429-storm',
  '500',
  '500-after',
  'reset-before',
  'reset-after',
  'no-answer',
  'cut-off',
  'stall',
  'slow',
  'malformed-row',
  'unknown-field',
  'unknown-enum',
  'token-revoked',
] as const)

/**
 * - `429`: refused, as if a limit were exhausted.
 * - `429-storm`: this request and all others in the next two seconds are refused.
 * - `500`, `reset-before`: an error, or a closed connection; the request has no effect.
 * - `500-after`, `reset-after`: the same, but the request has its effect.
 * - `no-answer`: the request has its effect, no response is sent, and the connection stays open.
 * - `cut-off`, `stall`: the body stops halfway; the connection closes, or stays open.
 * - `slow`: the body arrives in ten pieces, 100 ms apart.
 * - `malformed-row`: the amount or the id is an object; in a list, in the middle row.
 * - `unknown-field`, `unknown-enum`: each object has an extra field, or an unknown status.
 * - `token-revoked`: all tokens issued so far stop working.
 */
export type FaultName = (typeof faultNames)[number]

/** A request for which to plan a fault. */
export interface FaultTarget {
  /** The route, such as `GET /api/v1/charges`. */
  readonly route: string
  /** Number of this request among those of the route, starting at 1. */
  readonly nth: number
}

/** Probability of each fault, from 0 to 1; or a function that plans them. */
export type Faults =
  | { readonly [Name in FaultName]?: number }
  | ((target: FaultTarget) => FaultName | undefined)

/** Header that requests a fault by name. */
export const FAULT_HEADER = 'x-sandbox-fault'

/** Duration of a `429-storm`, in ms. */
export const STORM = 2_000

// which fault

export const isFaultName = (text: string): text is FaultName =>
  faultNames.some((name) => name === text)

/** Returns the probability that a request has any fault; 0 for a plan. */
export const totalProbability = (faults: Faults): number =>
  typeof faults === 'function' ? 0 : faultNames.reduce((sum, name) => sum + (faults[name] ?? 0), 0)

/** Returns at most one fault for a request. Draws exactly one number, so a plan does not shift later draws. */
export const drawFault = (
  faults: Faults,
  random: IO<number>,
  target: FaultTarget,
): FaultName | undefined => {
  const drawn = random()
  if (typeof faults === 'function') return faults(target)
  let sum = 0
  return faultNames.find((name) => {
    sum += faults[name] ?? 0
    return drawn < sum
  })
}

// effect on a reply

/** Applies a fault to a reply. Errors keep their bodies. */
export const injectFault = (fault: FaultName | undefined, reply: Reply): Reply => {
  switch (fault) {
    case 'reset-after':
      return { ...reply, delivery: 'reset' }
    case 'no-answer':
      return { ...reply, delivery: 'silent' }
    case 'cut-off':
    case 'stall':
    case 'slow':
      return { ...reply, delivery: fault }
    case 'malformed-row':
      return changeRows(reply, (row, n, size) =>
        n === Math.floor(size / 2) ? { ...row, [mainField(row)]: {} } : row,
      )
    case 'unknown-field':
      return changeRows(reply, (row) => ({ ...row, sandbox_field: { nested: [1, null, 'text'] } }))
    case 'unknown-enum':
      return changeRows(reply, unknownEnum)
    default:
      return reply
  }
}

type RowFields = Readonly<Record<string, unknown>>

type ChangeRow = (row: RowFields, n: number, size: number) => RowFields

/** Changes the object in a body, or the rows of a list. Logins and texts remain unchanged. */
const changeRows = (reply: Reply, change: ChangeRow): Reply => {
  const body = reply.status >= 400 ? undefined : parsed(new TextDecoder().decode(reply.body))
  const changed = changedBody(body, change)
  return changed === undefined ? reply : { ...reply, body: Buffer.from(JSON.stringify(changed)) }
}

const changedBody = (body: unknown, change: ChangeRow): unknown => {
  const changeAll = (rows: ReadonlyArray<unknown>) =>
    rows.map((row, n) => (isRecord(row) ? change(row, n, rows.length) : row))
  if (Array.isArray(body)) return changeAll(body)
  if (!isRecord(body) || 'token' in body) return undefined
  return Array.isArray(body.items) ? { ...body, items: changeAll(body.items) } : change(body, 0, 1)
}

/** Returns the field to corrupt in a malformed row: the amount, or one that identifies the row. */
const mainField = (row: RowFields): string =>
  ['amount', 'id', 'card_brand', 'type', 'currency'].find((name) => name in row) ??
  Object.keys(row)[0] ??
  'id'

const enumFields = ['status', 'card_brand', 'type']

const unknownEnum = (row: RowFields): RowFields =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      enumFields.includes(name) && typeof value === 'string' ? 'SANDBOX_STATUS' : value,
    ]),
  )
