/**
 * Whether all numbers of a row are plainly within bounds: nearly always, and told by code made for the
 * columns in a few nanoseconds a row. What it does not see through (a list, an object that nobody
 * described) it does not vouch for.
 */
import { made, mayGenerate } from '../../decode/generate/made.js'
import { type Column, columnsOf } from './Column.js'
import type { Looking } from './Numbers.js'
import { hasSource, sourceOf } from './source.js'

/** True for a row whose numbers are all within bounds; false tells nothing. */
type Vouch = (row: unknown) => boolean

/**
 * Bounds that are excluded; with `anywhere`, of numbers that no codec describes, too. Vouches for nothing
 * where no code may be made of text, and for no whole number whose digits may have a fraction.
 */
export const withinBounds = (
  columns: ReadonlyArray<Column>,
  below: number,
  { anywhere, numbers }: Looking,
): Vouch => {
  if (!mayGenerate()) return () => false
  const conditions = columns
    .flatMap(({ shape, path }) => columnsOf(shape, path))
    .flatMap(({ shape, path }) => {
      if (!hasSource(path)) return ['false']
      const nothing = `(v = ${sourceOf(path)}) === undefined || v === null`
      const within = `v < ${below} && v > -${below}`
      if (shape._tag === 'List') return [`${nothing} || v.length === 0`]
      if (shape._tag === 'Struct') return []
      switch (shape.type) {
        case 'decimal':
          return [`${nothing} || (${within})`]
        case 'integer':
          if (!anywhere) return []
          return [numbers === 'exact' ? nothing : `${nothing} || Number.isSafeInteger(v)`]
        case 'json':
          return anywhere
            ? [`${nothing} || typeof v === 'string' || (typeof v === 'number' && ${within})`]
            : []
        default:
          return []
      }
    })
  return made<Vouch>(
    ['row'],
    `let v; return ${['true', ...conditions.map((one) => `(${one})`)].join(' && ')}`,
  )
}
