import { Schema } from 'effect'
import { mapFields, type Shape } from '../shapes.ts'

export const effectOf = (shape: Shape): Schema.Codec<unknown> => {
  if (shape === 'text') return Schema.String
  if (shape === 'number') return Schema.Number
  if ('oneOf' in shape) return Schema.Literals(shape.oneOf)
  if ('nullable' in shape) return Schema.NullOr(effectOf(shape.nullable))
  if ('list' in shape) return Schema.Array(effectOf(shape.list))
  if ('record' in shape) return Schema.Record(Schema.String, effectOf(shape.record))
  return Schema.Struct({
    ...mapFields(shape.fields, effectOf),
    ...mapFields(shape.optional, (one) => Schema.optionalKey(effectOf(one))),
  })
}
