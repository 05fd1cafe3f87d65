/** Removes the field `secret` from rows: it is only for the program that verifies signatures, and must not end up in files. */
import type { RowDecoder } from '../../codec/Codec.js'
import { withDigitsOf } from '../../decode/digits.js'
import { ROW_LEVELS } from '../../decode/unknown.js'
import { E, flow } from '../../fp.js'
import { isObject } from '../column/readField.js'
import { type Shape, shapeOf } from '../column/Shape.js'
import type { Drainable, SourcePage } from './SourcePage.js'

export const hasSecretField = (codec: RowDecoder<unknown>): boolean => {
  const shape = shapeOf(codec)
  return shape._tag === 'Struct' && shape.fields.has('secret')
}

/** Removes the column `secret`. */
export const shapeWithoutSecret = (shape: Shape): Shape =>
  shape._tag === 'Struct'
    ? { ...shape, fields: new Map([...shape.fields].filter(([key]) => key !== 'secret')) }
    : shape

/** Accepts names and `NAME:TYPE` of columns that are called `secret`, at any depth. */
export const isSecretColumn = (column: string): boolean => /(^|\.)secret($|[.:])/.test(column)

/**
 * Removes fields that are called `secret`, at all levels that a row may have. Deeper levels are unchanged, because a row with
 * them is rejected, and only its first levels are kept. Returns the value itself if it has no `secret`.
 */
export const stripped = (u: unknown, depth = ROW_LEVELS): unknown => {
  if (!isObject(u) || depth === 0) return u
  if (Array.isArray(u)) {
    const all = u.map((one) => stripped(one, depth - 1))
    return all.some((one, i) => one !== u[i]) ? withDigitsOf(u)(all) : u
  }
  const { secret: _, ...rest }: Record<string, unknown> = u
  let isSame = !('secret' in u)
  for (const [name, value] of Object.entries(rest)) {
    rest[name] = stripped(value, depth - 1)
    isSame &&= rest[name] === value
  }
  return isSame ? u : rest
}

interface Resumable<A> extends Drainable<A> {
  readonly from: (position: never) => Drainable<A>
}

/** Removes secrets from the rows of a list. */
export const withoutSecret = <A>(list: Resumable<A>): Resumable<A> => ({
  ...strippedPages(list),
  from: (position) => strippedPages(list.from(position)),
})

const strippedPages = <A>(list: Drainable<A>): Drainable<A> => ({
  drain: (project, options) => list.drain(flow(E.map(stripPage), project), options),
})

/**
 * Leaves `raw` as it is: a row without a secret stays the same object as the raw one, so that its text can be copied; one that
 * had a secret is another object, and is serialized again. A raw row that is rejected is stripped by itself.
 */
const stripPage = <A>({ items, ...rest }: SourcePage<A>): SourcePage<A> => ({
  ...rest,
  items: items.map(E.map((row) => stripped(row) as A)), // `secret` is optional in its codec
})
