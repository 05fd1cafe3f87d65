/** JSON text of values, and values that JSON cannot represent: bigints, and those nested too deeply for a stack. */
import { withDigitsOf } from '../../decode/digits.js'
import { digitsOf } from '../../decode/index.js'
import { LEFT_OUT, LEVELS, ROW_LEVELS } from '../../decode/unknown.js'
import { O } from '../../fp.js'
import type { Numbers } from './decimal.js'
import { isObject } from './readField.js'
import { type RowCheck, unrepresentable } from './UnrepresentableRow.js'

// text

/** `rawJSON` is of ES2026: Node 22 has it, the types do not yet. */
const json: JSON & { readonly rawJSON?: (text: string) => unknown } = JSON

/** Returns a function to JSON text, with the digits of numbers as they came if `exact`; `null` for `undefined`. */
export const jsonOf = (numbers: Numbers): ((value: unknown) => string) => {
  if (numbers === 'fast') return (value) => JSON.stringify(value) ?? 'null'
  const raw = json.rawJSON
  if (raw === undefined)
    throw new TypeError('payments-rx needs JSON.rawJSON, which Node has from 22.15 on')
  function replace(this: unknown, key: string, value: unknown): unknown {
    if (typeof value !== 'number' || raw === undefined || !isObject(this)) return value
    const digits = digitsOf(key)(this)
    return O.isSome(digits) ? raw(digits.value) : value
  }
  return (value) => JSON.stringify(value, replace) ?? 'null'
}

// values

/** Each row is asked for it: lists go by their indices, at a tenth of the cost of their keys. */
const hasDeeper = (u: Readonly<Record<string, unknown>>, levels: number): boolean => {
  if (Array.isArray(u)) {
    for (let i = 0; i < u.length; i++) if (isDeeper(u[i], levels)) return true
    return false
  }
  for (const key in u) if (isDeeper(u[key], levels)) return true
  return false
}

const isDeeper = (value: unknown, levels: number): boolean =>
  isObject(value) ? levels === 1 || hasDeeper(value, levels - 1) : typeof value === 'bigint'

const isScalar = (u: unknown): boolean =>
  u === null || ['string', 'number', 'boolean'].includes(typeof u)

/** Checks that a row is JSON of at most `most` levels. */
export const serializable = (most = ROW_LEVELS): RowCheck => {
  const expected = `JSON of at most ${most} levels, and no bigint`
  return (row) => {
    if (!isObject(row)) return isScalar(row) ? undefined : unrepresentable([], expected)
    if (!hasDeeper(row, most)) return undefined
    const key = Object.keys(row).find((key) => isDeeper(row[key], most))
    return unrepresentable(key === undefined ? [] : [key], expected)
  }
}

/** Returns what JSON can represent of a value: its first levels if it is too deep, and bigints as text. */
export const truncated = (u: unknown): unknown =>
  isObject(u) && hasDeeper(u, ROW_LEVELS) ? firstLevels(u, LEVELS) : u

const firstLevels = (u: unknown, levels: number): unknown => {
  if (!isObject(u)) return typeof u === 'bigint' ? `${u}` : u
  if (levels === 0) return LEFT_OUT
  const inner = (value: unknown): unknown => firstLevels(value, levels - 1)
  return withDigitsOf(u)(
    Array.isArray(u)
      ? u.map(inner)
      : Object.fromEntries(Object.entries(u).map(([key, value]) => [key, inner(value)])),
  )
}
