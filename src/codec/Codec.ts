import * as t from 'io-ts'

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
interface Described {
  /** The JSON Schema of its values. */
  readonly schema: Schema
}

// constructors

export const described = <C extends t.Mixed>(codec: C, schema: Schema): C & Described =>
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
