import * as t from 'io-ts'
import { part } from '../decode/codecParts.js'
import { amountShown, dated } from '../decode/showValue.js'
import { E } from '../fp.js'

/** Decodes and encodes a value on the wire. Used by both the client and the sandbox. */
export interface Codec<A> extends t.Type<A, unknown, unknown> {}

/** The decoding half of a codec. Covariant: a decoder of charges is also a decoder of any supertype. */
export interface RowDecoder<A> extends t.Decoder<unknown, A> {
  /** Decodes a value within a larger one; `context` holds the path to it. */
  readonly validate: t.Decoder<unknown, A>['validate']
  /** Decodes a value, or returns the errors of all its fields. */
  readonly decode: t.Decoder<unknown, A>['decode']
}

/** The JSON Schema of a single value on the wire. It is kept separately, because a refinement does not carry one. */
export interface Schema {
  readonly type: 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'
  readonly pattern?: string
  /** Minimum length, in code points. */
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  /** The rules that are our assumption, although the API description has the value itself. */
  readonly 'x-not-specified'?: ReadonlyArray<'pattern' | 'minItems'>
}

/** Documentation of a field, in addition to its type. */
export interface Note {
  /** The service's default. */
  readonly default?: string | number | boolean | ReadonlyArray<string>
  /** The field is our assumption: not in the API description. */
  readonly 'x-not-specified'?: true
}

/** A codec with the JSON Schema of its values, for docs and generators. */
interface WithSchema {
  /** The JSON Schema of its values. */
  readonly schema: Schema
}

export const described = <C extends t.Mixed>(codec: C, schema: Schema): C & WithSchema =>
  Object.assign(codec, { schema })

/** Adds notes to the fields of an object's codec. */
export const noted = <C extends t.Mixed & { readonly props: t.Props }>(
  codec: C,
  notes: { readonly [Name in keyof C['props']]?: Note },
): C => Object.assign(codec, { notes })

/** Marks all fields of an object as our assumptions: not in the API description. */
export const unspecified = <C extends t.Mixed & { readonly props: t.Props }>(codec: C): C =>
  Object.assign(codec, {
    notes: Object.fromEntries(
      Object.keys(codec.props).map((name) => [name, { 'x-not-specified': true }] as const),
    ),
  })

/** The codec that `optional` returns. Exported so that declarations can name it and keep the comments of its fields. */
export interface OptionalC<P extends t.Props>
  extends t.PartialType<
    P,
    { [Name in keyof P]?: t.TypeOf<P[Name]> | undefined },
    { [Name in keyof P]?: t.OutputOf<P[Name]> | undefined },
    unknown
  > {}

/** `t.partial` for parameters. Its type accepts `undefined` as omitted, even with `exactOptionalPropertyTypes`. */
export const optional = <P extends t.Props>(props: P): OptionalC<P> =>
  t.partial(props) as OptionalC<P> // which accepts undefined at run time

/** Marks an object whose fields are all in the API description. Callers may send no others; responses may have more. */
export const closed = <C extends t.Mixed>(codec: C): C => Object.assign(codec, { closed: true })

/** Returns the JSON Schema of strings that match an expression. Flags are refused, because a schema has none. */
export const patternOf = (
  { source }: RegExp,
  more: Pick<Schema, 'x-not-specified'> = {},
): Schema => ({ type: 'string', pattern: source, ...more })

/** Creates the codec of strings that match an expression; `name` describes them in errors. */
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
  /** The expected value of the invalid field, for messages and docs. */
  readonly expected: string
  /** The field to which docs attach the rule. */
  readonly field: string
  /** Returns the expected value of the invalid field, if that depends on the whole value. */
  readonly explain?: (a: A) => string
  /** Returns the path of each value that breaks the rule. */
  readonly broken: (a: A) => ReadonlyArray<Path>
  /** True if the rule is our assumption (not in the API description), for docs. */
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
 * Object fields of any name and type. TypeScript infers a function without parameters, such as `() => [rule(...)]`, before it
 * infers the parameters of the row, so their type is unknown there.
 */
// biome-ignore lint/suspicious/noExplicitAny: with `unknown` no rule could be written there
type AnyFields = Readonly<Record<string, any>>

/** Creates a rule about one field: the expected value, and a predicate that returns true if the value satisfies the rule. */
export const rule = <A = AnyFields>(
  field: Extract<keyof NoInfer<A>, string>,
  expected: string,
  holds: (a: A) => boolean,
): Rule<A> => ({ field, expected, broken: (a) => (holds(a) ? [] : [[field]]) })

export const ruled =
  <A>(...rules: ReadonlyArray<Rule<A>>) =>
  (codec: Codec<A>): Codec<A> =>
    new RuledType(codec, rules)

/** Returns a codec for the error of a rule, so that the message shows the value. The value's own codec has accepted it. */
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

/** A codec that uses a looser codec if the value asks for that, and leaves further checks to the service. */
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
