/** JSON Schema (draft 7, as Singer has it) and records for a Singer stream, both from the shape of a codec. */
import type { Shape } from '../column/Shape.js'

/** The part of JSON Schema that Singer's targets read. */
export interface SingerSchema {
  readonly type?: ReadonlyArray<string>
  readonly format?: 'date-time'
  /** Lets targets make decimal columns: without it, they take numbers for floats. */
  readonly multipleOf?: number
  readonly properties?: Readonly<Record<string, SingerSchema>>
  readonly items?: SingerSchema
}

/** ISO 4217 has no currency with more than four decimals (CLF, UYW). */
const AMOUNT_STEP = 0.0001

/** A field that may hold any JSON; targets such as target-bigquery want a type for each. */
const ANYTHING = ['null', 'object', 'array', 'string', 'number', 'boolean']

/** Amounts and fees; rates of exchange are decimals as well, with more digits. */
const isAmount = (name: string): boolean => /(^|_)(amount|fee)(_|$)/.test(name)

/** Returns the schema of a stream's records. Every field may be null or missing: the service may add and leave out. */
export const schemaOf = (shape: Shape, name = ''): SingerSchema => {
  switch (shape._tag) {
    case 'Struct':
      return {
        type: name === '' ? ['object'] : ['null', 'object'],
        properties: Object.fromEntries(
          [...shape.fields].map(([field, inner]) => [field, schemaOf(inner, field)]),
        ),
      }
    case 'List':
      return { type: ['null', 'array'], items: schemaOf(shape.item, name) }
    case 'Leaf':
      switch (shape.type) {
        case 'text':
          return { type: ['null', 'string'] }
        case 'time':
          return { type: ['null', 'string'], format: 'date-time' }
        case 'boolean':
          return { type: ['null', 'boolean'] }
        case 'integer':
          return { type: ['null', 'integer'] }
        case 'decimal':
          return {
            type: ['null', 'number'],
            ...(isAmount(name) ? { multipleOf: AMOUNT_STEP } : {}),
          }
        case 'json':
          return { type: ANYTHING }
      }
  }
}

/** Makes the value to send from one that was received. */
type Convert = (value: unknown) => unknown

/** Returns a function that writes the times of a row as RFC 3339; undefined where a shape has none. */
export const recordOf = (shape: Shape): Convert | undefined => {
  switch (shape._tag) {
    case 'Leaf':
      return shape.type === 'time' ? rfc3339 : undefined
    case 'List': {
      const item = recordOf(shape.item)
      return item && ((value) => (Array.isArray(value) ? value.map(item) : value))
    }
    case 'Struct': {
      const fields = [...shape.fields].flatMap(([name, inner]) => {
        const convert = recordOf(inner)
        return convert === undefined ? [] : [{ name, convert }]
      })
      return fields.length === 0 ? undefined : (value) => withFields(value, fields)
    }
  }
}

const withFields = (
  value: unknown,
  fields: ReadonlyArray<{ readonly name: string; readonly convert: Convert }>,
): unknown => {
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = { ...value }
  for (const { name, convert } of fields) {
    const before = copy[name]
    if (before !== undefined) copy[name] = convert(before)
  }
  return copy
}

/** `+0000` becomes `+00:00`, and a plain date its midnight in UTC. Other values stay as they are. */
const rfc3339 = (value: unknown): unknown => {
  if (typeof value !== 'string') return value
  if (!value.includes('T')) return `${value}T00:00:00+00:00`
  return value.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')
}
