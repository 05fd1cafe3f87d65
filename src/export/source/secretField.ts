/** Removes the field `secret`, which is only for programs that verify signatures, and must not end up in files. */
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

export const shapeWithoutSecret = (shape: Shape): Shape =>
  shape._tag === 'Struct'
    ? { ...shape, fields: new Map([...shape.fields].filter(([key]) => key !== 'secret')) }
    : shape

/** Returns true for columns called `secret` at any depth, given as a name or as `NAME:TYPE`. */
export const isSecretColumn = (column: string): boolean => /(^|\.)secret($|[.:])/.test(column)

/**
 * Removes fields called `secret` at all levels that a row may have. Deeper levels are unchanged, because a row that has them is
 * rejected, and only its first levels are kept. Returns the value itself if it has no `secret`.
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

export const withoutSecret = <A>(list: Resumable<A>): Resumable<A> => ({
  ...strippedPages(list),
  from: (position) => strippedPages(list.from(position)),
})

const strippedPages = <A>(list: Drainable<A>): Drainable<A> => ({
  drain: (project, options) => list.drain(flow(E.map(stripPage), project), options),
})

/**
 * Leaves `raw` unchanged. A row without a secret remains the same object as its raw row, so its text can be copied. A row that
 * had a secret becomes another object, and is serialized again. Rejected raw rows are stripped separately.
 */
const stripPage = <A>({ items, ...rest }: SourcePage<A>): SourcePage<A> => ({
  ...rest,
  items: items.map(E.map((row) => stripped(row) as A)), // `secret` is optional in its codec
})
