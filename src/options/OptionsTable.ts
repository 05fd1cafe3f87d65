/**
 * Options as a table: each row has a rule, a default or the mark "required", and the doc comment for users. The type of the
 * options, their checks and defaults are derived from the table:
 *
 * ```ts
 * const table = {
 *   /** Concurrent requests. Default 4. *‍/
 *   concurrency: withDefault(is.positiveIntOrInfinity, 4),
 *   /** Receives each error. *‍/
 *   onError: is.fn<(error: unknown) => void>(),
 * }
 *
 * /** Options of `createPool`. *‍/
 * export interface PoolOptions extends OptionsOf<typeof table> {}
 *
 * const { concurrency, onError } = resolveOptions(options, table)
 * ```
 *
 * A generic interface cannot be derived: it is written by hand, and its table has the type `OptionsTable` of that interface.
 */

/**
 * The values that an option accepts. A bare rule in a table is an option without a default. `OptionsGiven` is the type that
 * callers may pass: in a group, optional fields may also be `undefined`.
 */
export interface OptionRule<out A = unknown, out OptionsGiven = A> {
  readonly accepts: (u: unknown) => boolean
  /** Carries the type of accepted values, as codecs of io-ts do. Never set. */
  readonly _A?: A
  readonly _Given?: OptionsGiven
  /** Completes the sentence "x should be ...". */
  readonly expected: string
  /** The `typeof` of all accepted values. With it, an error does not call a string of wrong content "a text". */
  readonly type?: 'string' | 'number'
  readonly required?: true
  /** Rules for the named fields of an object. */
  readonly fields?: Table
  /** Rule for each item of an array, or each field of a record. */
  readonly each?: OptionRule
}

/** A required option. */
export interface Required<out A = unknown, out OptionsGiven = A>
  extends OptionRule<A, OptionsGiven> {
  readonly required: true
}

/** An option with a default. */
export interface Defaulted<out A = unknown, out OptionsGiven = A>
  extends OptionRule<A, OptionsGiven> {
  readonly default: A
}

/** Rules by option name. */
export type Table = Readonly<Record<string, OptionRule>>

/** A table with a rule for each field of `A`, required if the field is. */
export type OptionsTable<A> = {
  readonly [Name in keyof A]-?: Record<never, never> extends Pick<A, Name> ? OptionRule : Required
}

// the types of a table; `Pick` and `Partial` keep doc comments, while mapping with `as` would lose them

/** The options that callers pass; `undefined` counts as omitted. */
export type OptionsOf<T> = Pick<OptionsGiven<T>, RequiredNames<T>> &
  MayBeUndefined<Partial<Pick<OptionsGiven<T>, Exclude<keyof T, RequiredNames<T>>>>>

/** Allows `undefined` for the optional fields of an object. */
export type MayBeUndefined<A> = {
  [Name in keyof A]: Record<never, never> extends Pick<A, Name> ? A[Name] | undefined : A[Name]
}

/** The options with defaults filled in. */
export type Resolved<T> = SomeRequired<T, RequiredNames<T> | DefaultedNames<T>>

/** The defaults alone. */
export type Defaults<T> = Pick<OptionValues<T>, DefaultedNames<T>>

type SomeRequired<T, Names extends keyof T> = Pick<OptionValues<T>, Names> &
  Partial<Pick<OptionValues<T>, Exclude<keyof T, Names>>>

/** Checked options, without those that were `undefined`. */
export type Checked<A> = {
  [Name in keyof A]: Record<never, never> extends Pick<A, Name>
    ? Exclude<A[Name], undefined>
    : A[Name]
}

type OptionsGiven<T> = {
  readonly [Name in keyof T]: T[Name] extends OptionRule<infer _, infer G> ? G : never
}

type OptionValues<T> = {
  readonly [Name in keyof T]: T[Name] extends OptionRule<infer A, infer _> ? A : never
}

type RequiredNames<T> = NamesOf<T, Required>

type DefaultedNames<T> = NamesOf<T, Defaulted>

type NamesOf<T, Row> = { [Name in keyof T]: T[Name] extends Row ? Name : never }[keyof T]

// constructors

export const required = <A, OptionsGiven>(
  rule: OptionRule<A, OptionsGiven>,
): Required<A, OptionsGiven> => ({
  ...rule,
  required: true,
})

export const withDefault = <A, OptionsGiven>(
  rule: OptionRule<A, OptionsGiven>,
  value: NoInfer<A>,
): Defaulted<A, OptionsGiven> => ({
  ...rule,
  default: value,
})
