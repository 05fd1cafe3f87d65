/**
 * Whether all amounts of a row are plainly within bounds: nearly always, and told by code made for the
 * columns in a few nanoseconds a row. What it does not see through (a list) it does not vouch for.
 */
import { mayGenerate } from '../../decode/generate/generate.js'
import { type Column, columnsOf } from './Column.js'
import { sourceOf } from './source.js'

type Vouch = (row: unknown) => boolean

const isVouch = (u: unknown): u is Vouch => typeof u === 'function'

/** Bounds that are excluded. Vouches for nothing where no code may be made of text. */
export const withinBounds = (columns: ReadonlyArray<Column>, below: number): Vouch => {
  if (!mayGenerate()) return () => false
  const conditions = columns
    .flatMap(({ shape, path }) => columnsOf(shape, path))
    .flatMap(({ shape, path }) => {
      const value = `(v = ${sourceOf(path)})`
      if (shape._tag === 'List') return [`${value} === undefined || v === null || v.length === 0`]
      if (shape._tag === 'Leaf' && shape.type !== 'decimal') return []
      return [`${value} === undefined || (v < ${below} && v > -${below})`]
    })
  const vouch: unknown = new Function(
    'row',
    `"use strict"; let v; return ${['true', ...conditions.map((one) => `(${one})`)].join(' && ')}`,
  )
  if (!isVouch(vouch)) throw new TypeError('no code was made')
  return vouch
}
