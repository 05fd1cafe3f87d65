/**
 * Whether the amounts of a row are known exactly. A double tells decimals of four places apart, the most
 * that a currency of ISO 4217 has, while its neighbours are less than 0.0001 away: below 2^39.
 */
import { digitsOf } from '../../decode/index.js'
import { O } from '../../fp.js'
import type { Column } from './Column.js'
import { type Fitting, type Misfit, misfit } from './Misfit.js'
import { withinBounds } from './quickly.js'
import { isObject, reader } from './read.js'
import type { Shape } from './Shape.js'

/** 549,755,813,888. */
const EXACT_BELOW = 2 ** 39

const EXPECTED =
  "a number below 549,755,813,888, or its digits (read and written with numbers: 'exact')"

/** Whether digits beside a number count, and are written in its place. */
export type Numbers = 'exact' | 'fast'

type Path = ReadonlyArray<string>

/** Finds the first amount in a value that is not exact. */
type Find = (holder: Readonly<Record<string, unknown>>, key: string) => Path | undefined

const isExact = (n: number): boolean => n < EXACT_BELOW && n > -EXACT_BELOW

const findIn = (shape: Shape, numbers: Numbers): Find | undefined => {
  switch (shape._tag) {
    case 'Leaf':
      return shape.type === 'decimal' ? amount(numbers) : undefined
    case 'Struct': {
      const fields = [...shape.fields].flatMap(([key, field]) => {
        const find = findIn(field, numbers)
        return find === undefined ? [] : [{ key, find }]
      })
      return fields.length === 0 ? undefined : within(fields)
    }
    case 'List': {
      const find = findIn(shape.item, numbers)
      return find && each(find)
    }
  }
}

const amount =
  (numbers: Numbers): Find =>
  (holder, key) => {
    const value = holder[key]
    if (typeof value !== 'number' || isExact(value)) return undefined
    return numbers === 'exact' && O.isSome(digitsOf(key)(holder)) ? undefined : [key]
  }

const within =
  (fields: ReadonlyArray<{ readonly key: string; readonly find: Find }>): Find =>
  (above, name) => {
    const holder = above[name]
    if (!isObject(holder)) return undefined
    for (const { key, find } of fields) {
      const path = find(holder, key)
      if (path !== undefined) return [name, ...path]
    }
    return undefined
  }

const each =
  (find: Find): Find =>
  (above, name) => {
    const list = above[name]
    if (!isObject(list) || !Array.isArray(list)) return undefined
    for (let i = 0; i < list.length; i++) {
      const path = find(list, String(i))
      if (path !== undefined) return [name, ...path]
    }
    return undefined
  }

/** Looks at what the codec calls a number, in these columns. */
export const exactMoney = (columns: ReadonlyArray<Column>, numbers: Numbers): Fitting => {
  const looks = columns.flatMap(({ path, shape }) => {
    const find = findIn(shape, numbers)
    const key = path[path.length - 1]
    return find && key !== undefined ? [{ path, key, find, above: reader(path.slice(0, -1)) }] : []
  })
  const vouch = withinBounds(columns, EXACT_BELOW)
  return (row): Misfit | undefined => {
    if (vouch(row)) return undefined
    for (const { path, key, find, above } of looks) {
      const holder = above(row)
      const found = isObject(holder) ? find(holder, key) : undefined
      if (found !== undefined) return misfit([...path.slice(0, -1), ...found], EXPECTED)
    }
    return undefined
  }
}
