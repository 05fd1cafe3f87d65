/** The JSON Schema 2020-12 of the values that a codec accepts on the wire. Named codecs are referenced by name. */
import * as t from 'io-ts'
import { LenientType, type Note, RuledType, type Schema } from '../../src/codec/Codec.js'
import { RepeatedType } from '../../src/codec/scalars.js'
import { OpenType } from '../../src/decode/open.js'
import { commentsOf } from './comments.js'
import { isNamed } from './events.js'
import { nameOf } from './named.js'
import { INVENTED_PATTERNS } from './ours.js'
import { between, type JsonSchema } from './words.js'

/** Returns the schema attached to a single value, with marks for the parts that the API description does not show. */
const wordOf = (codec: t.Mixed): (JsonSchema & Pick<Schema, 'type'>) | undefined => {
  const schema: Schema | undefined = Reflect.get(codec, 'schema')
  if (schema === undefined) return undefined
  const { pattern, minLength, maxLength } = schema
  const ours = [
    ...(schema['x-not-specified'] ?? []),
    ...(pattern !== undefined && INVENTED_PATTERNS.includes(pattern) ? ['pattern'] : []),
    // the API description bounds some texts, but never says of the others that they are not empty
    ...(minLength !== undefined && maxLength === undefined ? ['minLength'] : []),
  ]
  return ours.length === 0 ? schema : { ...schema, 'x-not-specified': [...new Set(ours)] }
}

const isPlain = (schema: JsonSchema): boolean =>
  Object.keys(schema).every((key) => ['type', 'properties', 'required'].includes(key))

/** Combines several objects into one: their properties together, and the schemas that are not objects. */
const together = (schemas: ReadonlyArray<JsonSchema>): JsonSchema => {
  const plain = schemas.filter(isPlain)
  const merged: JsonSchema = {
    type: 'object',
    properties: Object.assign({}, ...plain.map(({ properties }) => properties)),
    ...required(plain.flatMap((schema) => schema.required ?? [])),
  }
  const rest = schemas.filter((schema) => !isPlain(schema))
  return rest.length === 0 ? merged : { allOf: [merged, ...rest] }
}

const required = (names: ReadonlyArray<string>): JsonSchema =>
  names.length === 0 ? {} : { required: names }

const fields = (codec: t.Mixed & { readonly props: t.Props }) => {
  const notes: Readonly<Record<string, Note>> = Reflect.get(codec, 'notes') ?? {}
  const comments = commentsOf(Object.keys(codec.props))
  return Object.fromEntries(
    Object.entries(codec.props).map(([name, prop]): readonly [string, JsonSchema] => {
      const schema = schemaOf(prop)
      const said = [comments[name], schema.description].filter((text) => text !== undefined)
      const description = said.length === 0 ? {} : { description: said.join(' ') }
      return [name, { ...schema, ...notes[name], ...description }]
    }),
  )
}

const alternatives = (members: ReadonlyArray<t.Mixed>): JsonSchema => {
  const [first, second] = members
  if (members.length === 2 && first !== undefined && second instanceof t.NullType) {
    const schema = schemaOf(first)
    return typeof schema.type === 'string'
      ? { ...schema, type: [schema.type, 'null'] }
      : { anyOf: [schema, { type: 'null' }] }
  }
  return { anyOf: members.map(schemaOf) }
}

/** Adds the rules between fields as text, because JSON Schema cannot express most of them. */
const ruled = ({ type, rules }: RuledType<unknown>): JsonSchema => {
  return { ...shapeOf(type), description: rules.map(between).join(' ') }
}

const openSchema = (known: ReadonlyArray<string>): JsonSchema => {
  const ours = known.includes('charge.new') ? known.filter((name) => !isNamed(name)) : []
  return {
    type: 'string',
    'x-extensible-enum': known,
    ...(ours.length === 0 ? {} : { 'x-not-specified-values': ours }),
  }
}

/** Returns the schema itself instead of a reference to it. */
export const shapeOf = (codec: t.Mixed): JsonSchema => {
  const word = wordOf(codec)
  if (word !== undefined) {
    const list = codec instanceof t.RefinementType ? codec.type : codec
    return word.type === 'array' ? { ...word, items: schemaOf(list.type) } : word
  }
  if (codec instanceof RuledType) return ruled(codec)
  if (codec instanceof LenientType) return shapeOf(codec.type)
  if (codec instanceof RepeatedType) return { type: 'array', items: schemaOf(codec.type) }
  if (codec instanceof OpenType) return openSchema(codec.known)
  if (codec instanceof t.InterfaceType) {
    const properties = fields(codec)
    return { type: 'object', properties, ...required(Object.keys(properties)) }
  }
  if (codec instanceof t.PartialType) return { type: 'object', properties: fields(codec) }
  if (codec instanceof t.IntersectionType) return together(codec.types.map(schemaOf))
  if (codec instanceof t.UnionType) return alternatives(codec.types)
  if (codec instanceof t.KeyofType) return { type: 'string', enum: Object.keys(codec.keys) }
  if (codec instanceof t.ArrayType || codec instanceof t.ReadonlyArrayType) {
    return { type: 'array', items: schemaOf(codec.type) }
  }
  if (codec instanceof t.RecursiveType || codec instanceof t.ExactType) return shapeOf(codec.type)
  if (codec instanceof t.AnyDictionaryType) return { type: 'object' }
  if (codec instanceof t.StringType) return { type: 'string' }
  if (codec instanceof t.NumberType) return { type: 'number' }
  if (codec instanceof t.BooleanType) return { type: 'boolean' }
  if (codec instanceof t.NullType) return { type: 'null' }
  if (codec instanceof t.UnknownType) return {}
  throw new Error(`do not know how to describe ${codec.name}`)
}

export const schemaOf = (codec: t.Mixed): JsonSchema => {
  const name = nameOf.get(codec)
  return name === undefined ? shapeOf(codec) : { $ref: `#/components/schemas/${name}` }
}
