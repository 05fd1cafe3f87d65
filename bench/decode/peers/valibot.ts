import * as v from 'valibot'
import { mapFields, type Shape } from '../shapes.ts'

export const valibotOf = (shape: Shape): v.GenericSchema => {
  if (shape === 'text') return v.string()
  if (shape === 'number') return v.number()
  if ('oneOf' in shape) return v.picklist(shape.oneOf)
  if ('nullable' in shape) return v.nullable(valibotOf(shape.nullable))
  if ('list' in shape) return v.array(valibotOf(shape.list))
  if ('record' in shape) return v.record(v.string(), valibotOf(shape.record))
  return v.looseObject({
    ...mapFields(shape.fields, valibotOf),
    ...mapFields(shape.optional, (one) => v.optional(valibotOf(one))),
  })
}
