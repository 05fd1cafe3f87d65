import { Ajv } from 'ajv'
import { mapFields, type Shape } from '../shapes.ts'

const jsonSchemaOf = (shape: Shape): object => {
  if (shape === 'text') return { type: 'string' }
  if (shape === 'number') return { type: 'number' }
  if ('oneOf' in shape) return { enum: shape.oneOf }
  if ('nullable' in shape) return { ...jsonSchemaOf(shape.nullable), nullable: true }
  if ('list' in shape) return { type: 'array', items: jsonSchemaOf(shape.list) }
  if ('record' in shape) {
    return { type: 'object', additionalProperties: jsonSchemaOf(shape.record) }
  }
  return {
    type: 'object',
    required: Object.keys(shape.fields),
    properties: {
      ...mapFields(shape.fields, jsonSchemaOf),
      ...mapFields(shape.optional, jsonSchemaOf),
    },
  }
}

export const ajvOf = (shape: Shape): ((u: unknown) => boolean) =>
  new Ajv({ strict: false }).compile(jsonSchemaOf(shape))
