import { type TSchema, Type } from '@sinclair/typebox'
import { mapFields, type Shape } from '../shapes.ts'

/** Also JSON Schema, which ajv reads. */
export const typeboxOf = (shape: Shape): TSchema => {
  if (shape === 'text') return Type.String()
  if (shape === 'number') return Type.Number()
  if ('oneOf' in shape) return Type.Union(shape.oneOf.map((value) => Type.Literal(value)))
  if ('nullable' in shape) return Type.Union([typeboxOf(shape.nullable), Type.Null()])
  if ('list' in shape) return Type.Array(typeboxOf(shape.list))
  if ('record' in shape) return Type.Record(Type.String(), typeboxOf(shape.record))
  return Type.Object({
    ...mapFields(shape.fields, typeboxOf),
    ...mapFields(shape.optional, (one) => Type.Optional(typeboxOf(one))),
  })
}
