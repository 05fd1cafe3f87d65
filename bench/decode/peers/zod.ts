import * as z from 'zod'
import { mapFields, type Shape } from '../shapes.ts'

export const zodOf = (shape: Shape): z.ZodType => {
  if (shape === 'text') return z.string()
  if (shape === 'number') return z.number()
  if ('oneOf' in shape) return z.enum(shape.oneOf)
  if ('nullable' in shape) return z.nullable(zodOf(shape.nullable))
  if ('list' in shape) return z.array(zodOf(shape.list))
  if ('record' in shape) return z.record(z.string(), zodOf(shape.record))
  return z.looseObject({
    ...mapFields(shape.fields, zodOf),
    ...mapFields(shape.optional, (one) => zodOf(one).optional()),
  })
}
