/**
 * Options as a table: each row is a rule, with a default or the mark that it is required, and under the doc
 * comment that users read. The type of the options follows from the table, and so do checks and defaults:
 *
 * ```ts
 * const table = {
 *   /** Requests under way at once. Default 4. *‍/
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
 * A generic interface cannot be derived: it is written out, and its table is an `OptionsTable` of it.
 */

// model

/**
 * The values that an option accepts. A bare rule in a table is an option without a default. `OptionsGiven` is what callers may
 * write: of a group, fields that are left out may be `undefined` as well.
 */
export interface OptionRule<out A = unknown, out OptionsGiven = A> {
  readonly accepts: (u: unknown) => boolean
  /** Carries the type of accepted values, as codecs of io-ts do. Never set. */
  readonly _A?: A
  readonly _Given?: OptionsGiven
  /** Completes the sentence "x should be ...". */
  readonly expected: string
  /** The `typeof` of all accepted values, so that an error does not say "a text" of a wrong text. */
  readonly type?: 'string' | 'number'
  readonly required?: true
  /** Rules for the named fields of an object. */
  readonly fields?: Table
  /** Rule for each item of an array, or each field of a record. */
  readonly each?: OptionRule
}

/** An option that must be given. */
export interface Required<out A = unknown, out OptionsGiven = A>
  extends OptionRule<A, OptionsGiven> {
  readonly required: true
}

/** An option with a default. */
export interface Defaulted<out A = unknown, out OptionsGiven = A>
  extends OptionRule<A, OptionsGiven> {
  readonly default: A
}

/** Rules by the names of options. */
export type Table = Readonly<Record<string, OptionRule>>

/** A table with a rule for each field of `A`, required where the field is. */
export type OptionsTable<A> = {
  readonly [Name in keyof A]-?: Record<never, never> extends Pick<A, Name> ? OptionRule : Required
}

// the types of a table; `Pick` and `Partial` keep doc comments, mapping with `as` would lose them

/** The options that callers give; `undefined` counts as left out. */
export type OptionsOf<T> = Pick<OptionsGiven<T>, RequiredNames<T>> &
  MayBeUndefined<Partial<Pick<OptionsGiven<T>, Exclude<keyof T, RequiredNames<T>>>>>

/** Lets the fields of an object that may be left out be `undefined` as well. */
export type MayBeUndefined<A> = {
  [Name in keyof A]: Record<never, never> extends Pick<A, Name> ? A[Name] | undefined : A[Name]
}

/** The options with defaults filled in. */
export type Resolved<T> = SomeRequired<T, RequiredNames<T> | DefaultedNames<T>>

/** The defaults alone. */
export type Defaults<T> = Pick<OptionValues<T>, DefaultedNames<T>>

type SomeRequired<T, Names extends keyof T> = Pick<OptionValues<T>, Names> &
  Partial<Pick<OptionValues<T>, Exclude<keyof T, Names>>>

/** Checked options: those that were `undefined` are left out. */
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
