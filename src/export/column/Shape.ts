/** What a codec says of a value, as far as files care: read off its runtime form, for any codec. */
import { Instant } from '../../codec/Instant.js'
import { part, tagOf, typesOf } from '../../decode/codecParts.js'
import { OpenType } from '../../decode/open.js'

// model

/** All types of columns, by name. */
export const columnTypes = ['text', 'time', 'boolean', 'integer', 'decimal', 'json'] as const

/** What a column holds. A `decimal` is a number; `json` is JSON text of whatever is there. */
export type ColumnType = (typeof columnTypes)[number]

/** A value that stands in one column. */
export interface Leaf {
  readonly _tag: 'Leaf'
  readonly type: ColumnType
}

/** An object, by its fields. */
export interface Struct {
  readonly _tag: 'Struct'
  readonly fields: ReadonlyMap<string, Shape>
}

/** An array, by what all its items are. */
export interface List {
  readonly _tag: 'List'
  readonly item: Shape
}

export type Shape = Leaf | Struct | List

// constructors

const leaf = (type: ColumnType): Shape => ({ _tag: 'Leaf', type })

const ANYTHING = leaf('json')

/** The shape of what a codec takes. What may be null or missing has the shape of what is there else. */
export const shapeOf = (codec: unknown, within: ReadonlyArray<unknown> = []): Shape => {
  if (within.includes(codec)) return ANYTHING // it is defined by itself
  const below = (inner: unknown): Shape => shapeOf(inner, [...within, codec])
  if (codec === Instant) return leaf('time')
  if (codec instanceof OpenType) return leaf('text')
  switch (tagOf(codec)) {
    case 'StringType':
    case 'KeyofType':
      return leaf('text')
    case 'NumberType':
      return leaf('decimal')
    case 'BooleanType':
      return leaf('boolean')
    case 'LiteralType':
      return literal(part(codec, 'value'))
    case 'InterfaceType':
    case 'StrictType':
    case 'PartialType':
      return struct(part(codec, 'props'), below)
    case 'IntersectionType':
      return merged(typesOf(codec).map(below))
    case 'UnionType':
      return either(
        typesOf(codec).filter((member) => !isNothing(member)),
        below,
      )
    case 'ArrayType':
    case 'ReadonlyArrayType':
      return { _tag: 'List', item: below(part(codec, 'type')) }
    case 'RefinementType':
      return isWhole(codec) ? leaf('integer') : below(part(codec, 'type'))
    case 'ExactType':
    case 'ReadonlyType':
    case 'RecursiveType':
    case 'RuledType':
      return below(part(codec, 'type'))
    default:
      return ANYTHING
  }
}

/** Whether it stands for what is not there. */
const isNothing = (codec: unknown): boolean =>
  ['NullType', 'UndefinedType', 'VoidType'].some((tag) => tag === tagOf(codec))

/** Whether a refinement is that of whole numbers: of io-ts, or by its JSON Schema. */
const isWhole = (codec: unknown): boolean =>
  part(codec, 'name') === 'Int' || part(part(codec, 'schema'), 'type') === 'integer'

const literal = (value: unknown): Shape =>
  typeof value === 'string' ? leaf('text') : typeof value === 'boolean' ? leaf('boolean') : ANYTHING

const struct = (props: unknown, below: (codec: unknown) => Shape): Shape =>
  typeof props === 'object' && props !== null
    ? {
        _tag: 'Struct',
        fields: new Map(Object.keys(props).map((key) => [key, below(part(props, key))])),
      }
    : ANYTHING

/** What is said of a field later adds to what was said before, if both are objects. */
const merged = (members: ReadonlyArray<Shape>): Shape => {
  const fields = new Map<string, Shape>()
  for (const member of members) {
    if (member._tag !== 'Struct') return ANYTHING
    for (const [key, shape] of member.fields) {
      const known = fields.get(key)
      fields.set(key, known?._tag === 'Struct' ? merged([known, shape]) : shape)
    }
  }
  return { _tag: 'Struct', fields }
}

/** One of several: known only where all are the same simple thing. */
const either = (members: ReadonlyArray<unknown>, below: (codec: unknown) => Shape): Shape => {
  const [first, ...others] = members.map(below)
  if (first === undefined) return ANYTHING
  const same = (other: Shape): boolean =>
    first._tag === 'Leaf' && other._tag === 'Leaf' && first.type === other.type
  return others.every(same) ? first : ANYTHING
}
