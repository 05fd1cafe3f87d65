import * as t from 'io-ts'
import { open } from '../../../src/decode/index.js'
import { E } from '../../../src/fp.js'
import type { Fields, Leaf, Model, StructKind, Wrapper } from './Model.js'

const leaves: Readonly<Record<Leaf, t.Mixed>> = {
  string: t.string,
  number: t.number,
  boolean: t.boolean,
  null: t.null,
  undefined: t.undefined,
  void: t.void,
  unknown: t.unknown,
  any: t.any,
  bigint: t.bigint,
  UnknownArray: t.UnknownArray,
  UnknownRecord: t.UnknownRecord,
  object: t.object,
  Function: t.Function,
  never: t.never as unknown as t.Mixed,
  Int: t.Int,
  open: open('a', 'b'),
  NumberFromString: new t.Type(
    'NumberFromString',
    t.number.is,
    (u, c) => (typeof u === 'string' && u !== '' ? t.success(Number(u)) : t.failure(u, c)),
    String,
  ),
  DefaultsToText: new t.Type(
    'DefaultsToText',
    t.string.is,
    (u, c) => (u === undefined ? t.success('default') : t.string.validate(u, c)),
    t.identity,
  ),
  AlwaysNaN: new t.Type('AlwaysNaN', t.number.is, () => t.success(Number.NaN), t.identity),
  TextOfAnything: new t.Type(
    'TextOfAnything',
    t.string.is,
    (u, c) => (typeof u === 'object' ? t.failure(u, c, 'no objects') : t.success(String(u))),
    t.identity,
  ),
}

/** Changes how a codec validates as io-ts-types does: all its properties stay, `_tag` too. */
const cloned = (codec: t.Mixed, validate: t.Validate<unknown, unknown>): t.Mixed => {
  const clone: t.Mixed = Object.assign(Object.create(Object.getPrototypeOf(codec)), codec)
  return Object.assign(clone, {
    validate,
    decode: (u: unknown) => validate(u, [{ key: '', type: clone, actual: u }]),
  })
}

const isShort = (u: unknown): boolean => String(JSON.stringify(u)).length % 3 !== 0

const upper = new t.Type(
  'Upper',
  t.string.is,
  (u, c) => (typeof u === 'string' ? t.success(u.toUpperCase()) : t.failure(u, c)),
  t.identity,
)

const wrap = (kind: Wrapper, inner: t.Mixed): t.Mixed => {
  switch (kind) {
    case 'array':
      return t.array(inner)
    case 'readonlyArray':
      return t.readonlyArray(inner)
    case 'readonly':
      return t.readonly(inner)
    case 'refinement':
      return t.refinement(inner, isShort)
    case 'brand':
      return t.brand(inner, (a): a is t.Branded<unknown, { readonly B: symbol }> => isShort(a), 'B')
    case 'record':
      return t.record(t.string, inner)
    case 'keyof record':
      return t.record(t.keyof({ a: null, b: null, 1: null }), inner)
    case 'union record':
      return t.record(t.union([t.literal('b'), t.literal('a')]), inner)
    case 'literal record':
      return t.record(t.literal('toString'), inner)
    case 'refined record':
      return t.record(
        t.refinement(t.string, (key) => key !== 'b'),
        inner,
      )
    case 'renaming record':
      return t.record(upper, inner)
    case 'fallback clone':
      return cloned(inner, (u, c) => {
        const decoded = inner.validate(u, c)
        return E.isLeft(decoded) ? t.success('fallback') : decoded
      })
    case 'untouched clone':
      return cloned(inner, inner.validate)
    case 'pipe':
      return inner.pipe(new t.Type<unknown>('any', t.any.is, t.any.validate, t.identity))
    case 'tree':
      return t.recursion(
        'Tree',
        (Tree: t.Mixed): t.Mixed => t.union([inner, t.type({ a: t.array(Tree) })]),
      )
    case 'optional tree':
      return t.recursion(
        'Tree',
        (Tree: t.Mixed): t.Mixed => t.intersection([t.type({ a: inner }), t.partial({ b: Tree })]),
      )
  }
}

/** io-ts itself fails over a union with a literal under a key that all objects have. */
const fits = (key: string, codec: t.Mixed): boolean =>
  !(key in Object.prototype && codec instanceof t.LiteralType)

const props = (fields: Fields): t.Props =>
  Object.fromEntries(
    fields.map(([key, of]) => {
      const codec = codecOf(of)
      return [key, fits(key, codec) ? codec : t.string]
    }),
  )

const struct = (kind: StructKind, fields: Fields): t.Mixed => {
  switch (kind) {
    case 'type':
      return t.type(props(fields))
    case 'partial':
      return t.partial(props(fields))
    case 'strict':
      return t.strict(props(fields))
    case 'exact partial':
      return t.exact(t.partial(props(fields)))
    case 'exact refinement':
      return t.exact(t.refinement(t.type(props(fields)), isShort))
    case 'exact readonly':
      return t.exact(t.readonly(t.type(props(fields))))
    case 'recursive':
      return t.recursion(
        'Self',
        (Self: t.Mixed): t.Mixed =>
          t.exact(
            t.intersection([t.type(props(fields)), t.partial({ c: t.union([Self, t.null]) })]),
          ),
      )
  }
}

type Two = [t.Mixed, t.Mixed, ...Array<t.Mixed>]

const two = (all: ReadonlyArray<t.Mixed>): Two => {
  const [first = t.string, second = t.string, ...others] = all
  return [first, second, ...others]
}

/** The codec that a model describes. */
export const codecOf = (model: Model): t.Mixed => {
  if ('leaf' in model) return leaves[model.leaf]
  if ('literal' in model) return t.literal(model.literal)
  if ('keyof' in model) return t.keyof(Object.fromEntries(model.keyof.map((key) => [key, null])))
  if ('wrap' in model) return wrap(model.wrap, codecOf(model.inner))
  if ('struct' in model) return struct(model.struct, model.fields)
  if ('both' in model) {
    const both = t.intersection([t.type(props(model.both)), t.partial(props(model.and))])
    return model.exact ? t.exact(both) : both
  }
  if ('union' in model) return t.union(two(model.union.map(codecOf)))
  if ('intersection' in model) {
    return t.intersection([...two(model.intersection.map(codecOf))] as [t.Mixed, t.Mixed])
  }
  if ('tuple' in model) return t.tuple(model.tuple.map(codecOf) as [t.Mixed])
  const members = model.tagged.map((fields, i) => {
    const own = { ...props(fields), tag: t.literal(['a', 1, true][i] ?? i) }
    return model.strict ? t.strict(own) : t.type(own)
  })
  if (!model.old) return t.union(two(members))
  const old: unknown = t.taggedUnion('tag', two(members) as [never, never])
  return old as t.Mixed // its type asks for more than its code
}
