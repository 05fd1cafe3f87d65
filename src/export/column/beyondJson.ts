/**
 * What JSON has no words for: values that are nested too deeply for the stack of who reads them, bigints, and rows
 * that are nothing at all.
 */
import { withDigitsOf } from '../../decode/digits.js'
import { LEFT_OUT, LEVELS, ROW_LEVELS } from '../../decode/levels.js'
import { isObject } from './read.js'
import { type Fitting, misfit } from './UnrepresentableRow.js'

/** Each row is asked for it: lists go by their places, at a tenth of the cost of their keys. */
const isBeyond = (u: Readonly<Record<string, unknown>>, levels: number): boolean => {
  if (Array.isArray(u)) {
    for (let i = 0; i < u.length; i++) if (holdsBeyond(u[i], levels)) return true
    return false
  }
  for (const key in u) if (holdsBeyond(u[key], levels)) return true
  return false
}

const holdsBeyond = (value: unknown, levels: number): boolean =>
  isObject(value) ? levels === 1 || isBeyond(value, levels - 1) : typeof value === 'bigint'

/** What is no object: whether JSON can say it. */
const isData = (u: unknown): boolean =>
  u === null || typeof u === 'string' || typeof u === 'number' || typeof u === 'boolean'

/** What JSON cannot say, or what has more levels than `most`. */
export const beyondLevels = (most: number): Fitting => {
  const expected = `JSON of at most ${most} levels, and no bigint`
  return (row) => {
    if (!isObject(row)) return isData(row) ? undefined : misfit([], expected)
    if (!isBeyond(row, most)) return undefined
    const key = Object.keys(row).find((key) => holdsBeyond(row[key], most))
    return misfit(key === undefined ? [] : [key], expected)
  }
}

/** A row that JSON cannot say, or that is nested too deeply for what would write or read it. */
export const beyondJson: Fitting = beyondLevels(ROW_LEVELS)

/** The value itself, unless JSON cannot say it: then the levels below the first are left out, and bigints are text. */
export const shallow = (u: unknown): unknown =>
  isObject(u) && isBeyond(u, ROW_LEVELS) ? topOf(u, LEVELS) : u

/** The first `levels` of it; what is below is left out. */
const topOf = (u: unknown, levels: number): unknown => {
  if (!isObject(u)) return typeof u === 'bigint' ? `${u}` : u
  if (levels === 0) return LEFT_OUT
  return withDigitsOf(u)(
    Array.isArray(u)
      ? u.map((one) => topOf(one, levels - 1))
      : Object.fromEntries(
          Object.entries(u).map(([key, value]) => [key, topOf(value, levels - 1)]),
        ),
  )
}
