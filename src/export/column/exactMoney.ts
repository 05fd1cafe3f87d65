/** Whether the numbers of a row are known exactly. */
import { digitsOf } from '../../decode/index.js'
import { O } from '../../fp.js'
import type { Column } from './Column.js'
import {
  AMOUNT,
  ANY,
  EXACT_BELOW,
  type Kind,
  type Looking,
  type Numbers,
  WHOLE,
} from './Numbers.js'
import { isObject, reader } from './read.js'
import type { ColumnType, Shape } from './Shape.js'
import { type Fitting, misfit, type UnrepresentableRow } from './UnrepresentableRow.js'
import { withinBounds } from './withinBounds.js'

// model

/** A number that is not exact: where in the value, and what could be there. */
interface Inexact {
  readonly path: ReadonlyArray<string>
  readonly expected: string
}

/** Finds the first number in a value that is not exact. */
type Find = (holder: Readonly<Record<string, unknown>>, key: string) => Inexact | undefined

// constructors

/** Undefined where there is nothing to look at. */
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

/** A field that is such a number, or no number at all. */
const number =
  ({ isExact, fits, expected }: Kind, numbers: Numbers): Find =>
  (holder, key) => {
    const value = holder[key]
    if (typeof value !== 'number' || (fits === undefined && isExact(value))) return undefined
    const digits = numbers === 'exact' ? digitsOf(key)(holder) : O.none
    const isKnown = O.isSome(digits) ? (fits?.(digits.value) ?? true) : isExact(value)
    return isKnown ? undefined : { path: [key], expected }
  }

/** The fields of an object. */
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

/** The items of a list. */
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

/** The same, seen from one level higher. */
const below = (name: string, { path, expected }: Inexact): Inexact => ({
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
  const vouch = withinBounds(columns, EXACT_BELOW, looking)
  return (row): UnrepresentableRow | undefined => {
    if (vouch(row)) return undefined
    for (const { path, key, find, above } of looks) {
      const holder = above(row)
      const found = isObject(holder) ? find(holder, key) : undefined
      if (found !== undefined) return misfit([...path.slice(0, -1), ...found.path], found.expected)
    }
    return undefined
  }
}

/** Looks at every number of a row, also where no codec knows of it. */
export const exactNumbers = (numbers: Numbers): Fitting => {
  const find = inside(number(ANY, numbers))
  return (row) => {
    const found = find({ row }, 'row')
    return found && misfit(found.path.slice(1), found.expected)
  }
}
