import * as t from 'io-ts'
import { part } from '../decode/codecParts.js'
import { amountShown, dated } from '../decode/showValue.js'
import { E } from '../fp.js'

// model

/** A description of a value on the wire, read both ways: by the client, and by the sandbox. */
export interface Codec<A> extends t.Type<A, unknown, unknown> {}

/** The reading half of a codec: one for a charge is one for anything that a charge is. */
export interface Decodes<A> extends t.Decoder<unknown, A> {
  /** Decodes a value within a larger one, whose path is in the context. */
  readonly validate: t.Decoder<unknown, A>['validate']
  /** Decodes a value, or returns the errors of all its fields. */
  readonly decode: t.Decoder<unknown, A>['decode']
}

/** The JSON Schema of a single value on the wire, which a refinement does not show. */
export interface Schema {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'
  readonly pattern?: string
  /** In code points. */
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  /** The rule, but not that there is such a value, is a default, not specified by the interface document. */
  readonly 'x-not-specified'?: ReadonlyArray<'pattern' | 'minItems'>
}

/** Documentation of a field besides its type. */
export interface Note {
  /** The service's default (interface). */
  readonly default?: string | number | boolean | ReadonlyArray<string>
  /** It is a default, not specified by the interface document. */
  readonly 'x-not-specified'?: true
}

/** A codec with the JSON Schema of its values, for docs and for generators of values. */
interface WithSchema {
  /** The JSON Schema of its values. */
  readonly schema: Schema
}

// constructors

export const described = <C extends t.Mixed>(codec: C, schema: Schema): C & WithSchema =>
  Object.assign(codec, { schema })

/** A codec of an object that says more of its fields, by their names. */
export const noted = <C extends t.Mixed & { readonly props: t.Props }>(
  codec: C,
  notes: { readonly [Name in keyof C['props']]?: Note },
): C => Object.assign(codec, { notes })

/** All its fields are defaults, not specified by the interface document. */
export const unspecified = <C extends t.Mixed & { readonly props: t.Props }>(codec: C): C =>
  Object.assign(codec, {
    notes: Object.fromEntries(
      Object.keys(codec.props).map((name) => [name, { 'x-not-specified': true }] as const),
    ),
  })

/** The codec that `optional` returns. Exported, so that declarations name it and keep the comments of its fields. */
export interface OptionalC<P extends t.Props>
  extends t.PartialType<
    P,
    { [Name in keyof P]?: t.TypeOf<P[Name]> | undefined },
    { [Name in keyof P]?: t.OutputOf<P[Name]> | undefined },
    unknown
  > {}

/**
 * `t.partial` for parameters: its type says that `undefined` counts as left out, where the compiler tells the two apart
 * (`exactOptionalPropertyTypes`).
 */
export const optional = <P extends t.Props>(props: P): OptionalC<P> =>
  t.partial(props) as OptionalC<P> // which takes undefined at run time

/**
 * Marks the codec of an object of which the interface gives all fields: callers may send no others. Responses may
 * have others all the same.
 */
export const closed = <C extends t.Mixed>(codec: C): C => Object.assign(codec, { closed: true })

/** The JSON Schema of texts of a shape, which has no flags: a schema has none. */
export const patternOf = (
  { source }: RegExp,
  more: Pick<Schema, 'x-not-specified'> = {},
): Schema => ({ type: 'string', pattern: source, ...more })

/** A text of this shape; `name` says in words what it should be. */
export const matching = (
  shape: RegExp,
  name: string,
  more?: Pick<Schema, 'x-not-specified'>,
): Codec<string> =>
  described(
    t.refinement(t.string, (text) => shape.test(text), name),
    patternOf(shape, more),
  )

// rules between fields

/** The path from a value to the invalid field. */
export type Path = ReadonlyArray<string | number>

/** A rule between the fields of a value. */
export interface Rule<A> {
  /** The expected value of the invalid field, in words: for messages and docs. */
  readonly expected: string
  /** The field to which docs attach the rule. */
  readonly field: string
  /** The expected value at a place where it is broken, if that depends on the value. */
  readonly explain?: (a: A) => string
  /** Each place where the rule is broken. */
  readonly broken: (a: A) => ReadonlyArray<Path>
  /** It is a default, not specified by the interface document: for docs. */
  readonly unspecified?: true
}

/** A codec with rules between its fields. */
export class RuledType<A> extends t.Type<A, unknown, unknown> {
  readonly _tag = 'RuledType'
  readonly type: Codec<A>
  readonly rules: ReadonlyArray<Rule<A>>

  constructor(type: Codec<A>, rules: ReadonlyArray<Rule<A>>) {
    super(
      type.name,
      (u): u is A => type.is(u) && rules.every(({ broken }) => broken(u).length === 0),
      (u, context) => {
        const value = type.validate(u, context)
        if (E.isLeft(value)) return value
        const errors = rules.flatMap(({ broken, expected, explain = () => expected }) =>
          broken(value.right).map((path) =>
            blame(value.right, path, explain(value.right), context),
          ),
        )
        return errors.length === 0 ? value : t.failures(errors)
      },
      type.encode,
    )
    this.type = type
    this.rules = rules
  }
}

/**
 * Fields of any name and type: a function without parameters, such as `() => [rule(...)]`, is read before the parameters
 * of its row, so that nothing is known of them.
 */
// biome-ignore lint/suspicious/noExplicitAny: with `unknown` no rule could be written there
type AnyFields = Readonly<Record<string, any>>

/** A rule about one field: the expected value in words, and a predicate that holds if the rule is kept. */
export const rule = <A = AnyFields>(
  field: Extract<keyof NoInfer<A>, string>,
  expected: string,
  holds: (a: A) => boolean,
): Rule<A> => ({ field, expected, broken: (a) => (holds(a) ? [] : [[field]]) })

export const ruled =
  <A>(...rules: ReadonlyArray<Rule<A>>) =>
  (codec: Codec<A>): Codec<A> =>
    new RuledType(codec, rules)

/** Its value has passed a codec of its own: if it looks like a date, it is one; an amount, by what was expected. */
const named = (expected: string): t.Mixed => {
  const codec = new t.Type(expected, t.unknown.is, t.unknown.validate, t.identity)
  return /^an amount /.test(expected) ? amountShown(codec) : dated(codec)
}

const blame = (value: unknown, path: Path, expected: string, context: t.Context) => {
  let actual = value
  const steps = path.map((key, i): t.ContextEntry => {
    actual = part(actual, key)
    const type = i === path.length - 1 ? named(expected) : t.unknown
    return { key: String(key), type, actual }
  })
  return { value: actual, context: [...context, ...steps] }
}

/** A codec that uses a looser one where the value itself says so, and leaves the rest to the service. */
export class LenientType<A> extends t.Type<A, unknown, unknown> {
  readonly _tag = 'LenientType'
  readonly type: Codec<A>
  readonly asksForLess: (u: unknown) => boolean

  constructor(type: Codec<A>, loose: Codec<A>, asksForLess: (u: unknown) => boolean) {
    const codecOf = (u: unknown): Codec<A> => (asksForLess(u) ? loose : type)
    super(
      type.name,
      (u): u is A => codecOf(u).is(u),
      (u, context) => codecOf(u).validate(u, context),
      (a) => codecOf(a).encode(a),
    )
    this.type = type
    this.asksForLess = asksForLess
  }
}
