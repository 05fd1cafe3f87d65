/**
 * ```ts
 * const arbitrary: <A>(codec: Codec<A>) => fc.Arbitrary<A>
 * ```
 *
 * Random values of a codec, read off the codec itself. Objects get fields that no codec knows, open
 * enumerations get values that are not known, rules between fields are kept by trying again.
 */
import * as fc from 'fast-check'
import * as t from 'io-ts'
import { type Codec, LenientType, RuledType, type Schema } from '../../src/codec/Codec.js'
import { RepeatedType } from '../../src/codec/scalars.js'
import { OpenType } from '../../src/decode/open.js'
import { E, pipe } from '../../src/fp.js'
import { chance, json, key, number, oneOf, text, upTo } from './chance.js'
import { described, enumeration, type Make } from './make.js'

const DEPTH = 6

const known = new Map<t.Mixed, Make>()

const schemaOf = (codec: t.Mixed): Schema | undefined => {
  const schema: Schema | undefined = Reflect.get(codec, 'schema')
  return schema
}

const list = (item: t.Mixed): Make => {
  const one = make(item)
  return (random, depth) =>
    depth <= 0 ? [] : Array.from({ length: upTo(2)(random) }, () => one(random, depth - 1))
}

const fields = (props: t.Props, optional: boolean): Make => {
  const makes = Object.entries(props).map(([key, prop]) => [key, make(prop)] as const)
  return (random, depth) => {
    const made: Record<string, unknown> = {}
    for (const [key, one] of makes) {
      if (!optional || random() < 0.5) made[key] = one(random, depth - 1)
    }
    if (random() < 0.05) made.added_later = json(2)(random)
    return made
  }
}

const union = (members: ReadonlyArray<t.Mixed>): Make => {
  const makes = members.map(make)
  return (random, depth) => oneOf(makes)(random)(random, depth)
}

const intersection = (members: ReadonlyArray<t.Mixed>): Make => {
  const makes = members.map(make)
  return (random, depth) => Object.assign({}, ...makes.map((one) => one(random, depth)))
}

const dictionary: Make = (random) =>
  Object.fromEntries(Array.from({ length: upTo(3)(random) }, () => [key(random), json(1)(random)]))

/** Until a value keeps the rules. */
const patient = (codec: t.Mixed, one: Make): Make => {
  const attempt: Make = (random, depth) => {
    for (let n = 0; n < 1_000; n++) {
      const made = one(random, depth)
      if (codec.is(made)) return made
    }
    throw new Error(`no value of ${codec.name} was found`)
  }
  return attempt
}

/** Without the fields that it takes away. */
const exact = (codec: t.ExactType<t.Mixed>): Make => {
  const one = make(codec.type)
  return (random, depth) => {
    const whole = one(random, depth)
    return pipe(
      codec.decode(whole),
      E.getOrElse(() => whole),
    )
  }
}

const recursive = (codec: t.RecursiveType<t.Mixed>): Make => {
  let body: Make | undefined
  return (random, depth) => {
    body ??= make(codec.type)
    return body(random, depth)
  }
}

const made = (codec: t.Mixed): Make => {
  const schema = schemaOf(codec)
  if (schema !== undefined) return described(codec, schema, make)
  if (codec instanceof RuledType || codec instanceof LenientType) {
    return patient(codec, make(codec.type))
  }
  if (codec instanceof RepeatedType) return list(codec.type)
  if (codec instanceof OpenType) return enumeration(codec.known)
  if (codec instanceof t.InterfaceType) return fields(codec.props, false)
  if (codec instanceof t.PartialType) return fields(codec.props, true)
  if (codec instanceof t.IntersectionType) return intersection(codec.types)
  if (codec instanceof t.UnionType) return union(codec.types)
  if (codec instanceof t.KeyofType) return oneOf(Object.keys(codec.keys))
  if (codec instanceof t.ArrayType || codec instanceof t.ReadonlyArrayType) return list(codec.type)
  if (codec instanceof t.RecursiveType) return recursive(codec)
  if (codec instanceof t.ExactType) return exact(codec)
  if (codec instanceof t.AnyDictionaryType) return dictionary
  if (codec instanceof t.AnyArrayType) return (random) => [json(1)(random)]
  if (codec instanceof t.StringType) return text
  if (codec instanceof t.NumberType) return number
  if (codec instanceof t.BooleanType) return (random) => random() < 0.5
  if (codec instanceof t.NullType) return () => null
  if (codec instanceof t.UnknownType) return json(2)
  throw new Error(`do not know how to make values of ${codec.name}`)
}

const make = (codec: t.Mixed): Make => {
  const before = known.get(codec)
  if (before !== undefined) return before
  const fresh = made(codec)
  known.set(codec, fresh)
  return fresh
}

export const arbitrary = <A>(codec: Codec<A>): fc.Arbitrary<A> => {
  const one = make(codec)
  return fc.noShrink(fc.nat()).map((seed) => one(chance(seed), DEPTH) as A) // checked by its laws
}
