/** Texts of a shape that is written once: what is taken is what the docs say. */
import * as t from 'io-ts'
import type { Codec } from './Codec.js'
import { described, type Schema } from './Schema.js'

/** What JSON Schema says of texts of a shape, which has no flags: a schema has none. */
export const patternOf = (
  { source }: RegExp,
  more: Pick<Schema, 'x-not-specified'> = {},
): Schema => ({ type: 'string', pattern: source, ...more })

/** A text of this shape; `name` says in words what it should be. */
export const matching = (
  shape: RegExp,
  name: string,
  more?: Pick<Schema, 'x-not-specified'>,
): Codec<string> =>
  described(
    t.refinement(t.string, (text) => shape.test(text), name),
    patternOf(shape, more),
  )
