/** How deep values are nested. What walks through them goes as deep, and the stack ends somewhere. */
import { withDigitsOf } from '../../decode/digits.js'
import { LEFT_OUT, LEVELS } from '../../decode/levels.js'
import { type Fitting, misfit } from './Misfit.js'
import { isObject } from './read.js'

/** Levels of a row that is written. `JSON.stringify` and readers give up at some thousands. */
const MOST = 500

const EXPECTED = `a value of at most ${MOST} levels`

/** Each row is asked for it: lists go by their places, at a tenth of the cost of their keys. */
const isDeep = (u: Readonly<Record<string, unknown>>, levels: number): boolean => {
  if (Array.isArray(u)) {
    for (let i = 0; i < u.length; i++) if (isDeeper(u[i], levels)) return true
    return false
  }
  for (const key in u) if (isDeeper(u[key], levels)) return true
  return false
}

const isDeeper = (value: unknown, levels: number): boolean =>
  isObject(value) && (levels === 1 || isDeep(value, levels - 1))

/** A row that is nested too deeply for what would write or read it. */
export const tooDeep: Fitting = (row) => {
  if (!isObject(row) || !isDeep(row, MOST)) return undefined
  const key = Object.keys(row).find((key) => isDeeper(row[key], MOST))
  return misfit(key === undefined ? [] : [key], EXPECTED)
}

/** The value itself, unless it is nested too deeply: then the levels below the first are left out. */
export const shallow = (u: unknown): unknown =>
  isObject(u) && isDeep(u, MOST) ? topOf(u, LEVELS) : u

/** The first `levels` of it; what is below is left out. */
const topOf = (u: unknown, levels: number): unknown => {
  if (!isObject(u)) return u
  if (levels === 0) return LEFT_OUT
  return withDigitsOf(u)(
    Array.isArray(u)
      ? u.map((one) => topOf(one, levels - 1))
      : Object.fromEntries(
          Object.entries(u).map(([key, value]) => [key, topOf(value, levels - 1)]),
        ),
  )
}
