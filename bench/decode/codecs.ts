/** A shape as an io-ts codec. */
import * as t from 'io-ts'
import { mapFields, type ObjectShape, type Shape } from './shapes.ts'

export interface Manner {
  /** True to strip unknown keys. */
  readonly strict: boolean
  /** `keyof` is the cheapest enumeration in io-ts; a union of literals is the most expensive. */
  readonly enumeration: 'keyof' | 'union'
}

const oneOf = (values: ReadonlyArray<string>, manner: Manner): t.Mixed => {
  if (manner.enumeration === 'keyof') {
    return t.keyof(Object.fromEntries(values.map((value) => [value, null])))
  }
  const [first = '', second = '', ...others] = values
  return t.union([t.literal(first), t.literal(second), ...others.map((value) => t.literal(value))])
}

const object = (shape: ObjectShape, manner: Manner): t.Mixed => {
  const inner = (one: Shape): t.Mixed => codecOf(one, manner)
  const type = t.type(mapFields(shape.fields, inner))
  if (shape.optional === undefined) return manner.strict ? t.exact(type) : type
  const both = t.intersection([type, t.partial(mapFields(shape.optional, inner))])
  return manner.strict ? t.exact(both) : both
}

export const codecOf = (shape: Shape, manner: Manner): t.Mixed => {
  if (shape === 'text') return t.string
  if (shape === 'number') return t.number
  if ('oneOf' in shape) return oneOf(shape.oneOf, manner)
  if ('nullable' in shape) return t.union([codecOf(shape.nullable, manner), t.null])
  if ('list' in shape) return t.array(codecOf(shape.list, manner))
  if ('record' in shape) return t.record(t.string, codecOf(shape.record, manner))
  return object(shape, manner)
}
