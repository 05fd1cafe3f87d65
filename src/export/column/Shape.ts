/** The structure of a codec as files need it, derived at runtime from any io-ts codec. */
import { Instant } from '../../codec/Instant.js'
import { part, tagOf, typesOf } from '../../decode/codecParts.js'

export const columnTypes = ['text', 'time', 'boolean', 'integer', 'decimal', 'json'] as const

/** Type of a column. A `decimal` is a number; `json` is JSON text of any value. */
export type ColumnType = (typeof columnTypes)[number]

/** A value stored in one column. */
export interface Leaf {
  readonly _tag: 'Leaf'
  readonly type: ColumnType
}

export interface Struct {
  readonly _tag: 'Struct'
  readonly fields: ReadonlyMap<string, Shape>
}

export interface ListShape {
  readonly _tag: 'List'
  readonly item: Shape
}

export type Shape = Leaf | Struct | ListShape

const leaf = (type: ColumnType): Shape => ({ _tag: 'Leaf', type })

const ANYTHING = leaf('json')

/** Returns the shape of a codec's values. Null or missing values do not change it. */
export const shapeOf = (codec: unknown, within: ReadonlyArray<unknown> = []): Shape => {
  if (within.includes(codec)) return ANYTHING // it is recursive
  const inner = (member: unknown): Shape => shapeOf(member, [...within, codec])
  if (codec === Instant) return leaf('time')
  switch (tagOf(codec)) {
    case 'StringType':
    case 'KeyofType':
    case 'OpenType':
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
      return struct(part(codec, 'props'), inner)
    case 'IntersectionType':
      return merged(typesOf(codec).map(inner))
    case 'UnionType':
      return common(
        typesOf(codec)
          .filter((member) => !isNothing(member))
          .map(inner),
      )
    case 'ArrayType':
    case 'ReadonlyArrayType':
      return { _tag: 'List', item: inner(part(codec, 'type')) }
    case 'RefinementType':
      return isWhole(codec) ? leaf('integer') : inner(part(codec, 'type'))
    case 'ExactType':
    case 'ReadonlyType':
    case 'RecursiveType':
    case 'RuledType':
      return inner(part(codec, 'type'))
    default:
      return ANYTHING
  }
}

const isNothing = (codec: unknown): boolean =>
  ['NullType', 'UndefinedType', 'VoidType'].some((tag) => tag === tagOf(codec))

/** Accepts a refinement to whole numbers: `t.Int`, or one whose JSON Schema has the type `integer`. */
const isWhole = (codec: unknown): boolean =>
  part(codec, 'name') === 'Int' || part(part(codec, 'schema'), 'type') === 'integer'

const literal = (value: unknown): Shape =>
  typeof value === 'string' ? leaf('text') : typeof value === 'boolean' ? leaf('boolean') : ANYTHING

const struct = (props: unknown, inner: (codec: unknown) => Shape): Shape =>
  typeof props === 'object' && props !== null
    ? {
        _tag: 'Struct',
        fields: new Map(Object.keys(props).map((key) => [key, inner(part(props, key))])),
      }
    : ANYTHING

/** Merges the fields of an intersection. */
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

/** Returns the shape of a union. It is known only if all members are the same leaf, or if there is only one member. */
const common = ([first = ANYTHING, ...others]: ReadonlyArray<Shape>): Shape =>
  others.every(
    (other) => first._tag === 'Leaf' && other._tag === 'Leaf' && first.type === other.type,
  )
    ? first
    : ANYTHING
