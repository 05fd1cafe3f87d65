/**
 * Whether the numbers of a row are known exactly. A double tells decimals of four places apart, the most
 * that a currency of ISO 4217 has, while its neighbours are less than 0.0001 away: below 2^39. It tells
 * whole numbers apart up to 2^53.
 */
import { digitsOf } from '../../decode/index.js'
import { O } from '../../fp.js'
import type { Column } from './Column.js'
import { type Fitting, type Misfit, misfit } from './Misfit.js'
import { withinBounds } from './quickly.js'
import { isObject, reader } from './read.js'
import type { ColumnType, Shape } from './Shape.js'

// model

/** 549,755,813,888. */
const EXACT_BELOW = 2 ** 39

/** Whether digits beside a number count, and are written in its place. */
export type Numbers = 'exact' | 'fast'

export interface Looking {
  readonly numbers: Numbers
  /** Whether numbers that no codec describes are looked at, too: not where they are written as they came. */
  readonly anywhere: boolean
}

interface Found {
  readonly path: ReadonlyArray<string>
  readonly expected: string
}

/** Finds the first number in a value that is not exact. */
type Find = (holder: Readonly<Record<string, unknown>>, key: string) => Found | undefined

/** Numbers of a kind. */
interface Kind {
  readonly isExact: (n: number) => boolean
  /** Whether digits beside it tell what it is. */
  readonly hasDigits: (n: number) => boolean
  readonly expected: string
}

const DIGITS = "or its digits (read and written with numbers: 'exact')"

const isAmount = (n: number): boolean => n < EXACT_BELOW && n > -EXACT_BELOW

const AMOUNT: Kind = {
  isExact: isAmount,
  hasDigits: () => true,
  expected: `a number below 549,755,813,888, ${DIGITS}`,
}

const WHOLE: Kind = {
  isExact: Number.isSafeInteger,
  hasDigits: Number.isInteger,
  expected: `a whole number below 2^53, ${DIGITS}`,
}

const ANY: Kind = {
  isExact: (n) => isAmount(n) || Number.isSafeInteger(n),
  hasDigits: () => true,
  expected: `a number below 549,755,813,888, a whole one below 2^53, ${DIGITS}`,
}

// constructors

const findIn = (shape: Shape, looking: Looking): Find | undefined => {
  switch (shape._tag) {
    case 'Leaf':
      return findNumber(shape.type, looking)
    case 'Struct': {
      const fields = [...shape.fields].flatMap(([key, field]) => {
        const find = findIn(field, looking)
        return find === undefined ? [] : [{ key, find }]
      })
      return fields.length === 0 ? undefined : within(fields)
    }
    case 'List': {
      const find = findIn(shape.item, looking)
      return find && each(find)
    }
  }
}

const findNumber = (type: ColumnType, { numbers, anywhere }: Looking): Find | undefined => {
  switch (type) {
    case 'decimal':
      return anywhere ? inside(number(AMOUNT, numbers)) : number(AMOUNT, numbers)
    case 'integer':
      return anywhere ? inside(number(WHOLE, numbers)) : undefined
    case 'json':
      return anywhere ? inside(number(ANY, numbers)) : undefined
    default:
      return undefined
  }
}

const number =
  ({ isExact, hasDigits, expected }: Kind, numbers: Numbers): Find =>
  (holder, key) => {
    const value = holder[key]
    if (typeof value !== 'number' || isExact(value)) return undefined
    const isKnown = numbers === 'exact' && hasDigits(value) && O.isSome(digitsOf(key)(holder))
    return isKnown ? undefined : { path: [key], expected }
  }

const within =
  (fields: ReadonlyArray<{ readonly key: string; readonly find: Find }>): Find =>
  (above, name) => {
    const holder = above[name]
    if (!isObject(holder)) return undefined
    for (const { key, find } of fields) {
      const found = find(holder, key)
      if (found !== undefined) return below(name, found)
    }
    return undefined
  }

const each =
  (find: Find): Find =>
  (above, name) => {
    const list = above[name]
    if (!isObject(list) || !Array.isArray(list)) return undefined
    for (let i = 0; i < list.length; i++) {
      const found = find(list, String(i))
      if (found !== undefined) return below(name, found)
    }
    return undefined
  }

/** The value itself, or what is anywhere in it: there may be an object where a number should be. */
const inside = (find: Find): Find => {
  const deep: Find = (above, name) => {
    const value = above[name]
    if (!isObject(value)) return find(above, name)
    for (const key of Object.keys(value)) {
      const found = deep(value, key)
      if (found !== undefined) return below(name, found)
    }
    return undefined
  }
  return deep
}

const below = (name: string, { path, expected }: Found): Found => ({
  path: [name, ...path],
  expected,
})

/** Looks at numbers in these columns: what the codec calls a number, or what it says nothing of. */
export const exactMoney = (columns: ReadonlyArray<Column>, looking: Looking): Fitting => {
  const looks = columns.flatMap(({ path, shape }) => {
    const find = findIn(shape, looking)
    const key = path[path.length - 1]
    return find && key !== undefined ? [{ path, key, find, above: reader(path.slice(0, -1)) }] : []
  })
  const vouch = withinBounds(columns, EXACT_BELOW, looking.anywhere)
  return (row): Misfit | undefined => {
    if (vouch(row)) return undefined
    for (const { path, key, find, above } of looks) {
      const holder = above(row)
      const found = isObject(holder) ? find(holder, key) : undefined
      if (found !== undefined) return misfit([...path.slice(0, -1), ...found.path], found.expected)
    }
    return undefined
  }
}
