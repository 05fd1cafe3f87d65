/**
 * Rules between the fields of a value. A broken one is an error of io-ts at the field to blame, as if
 * that field had a codec of its own by the name of the rule.
 */
import * as t from 'io-ts'
import { part } from '../decode/codecParts.js'
import { E } from '../fp.js'
import type { Codec } from './Codec.js'

// model

/** The path from a value to the invalid field. */
export type Path = ReadonlyArray<string | number>

/** A rule between the fields of a value. */
export interface Rule<A> {
  /** The expected value of the invalid field, in words: for messages and docs. */
  readonly expected: string
  /** The field to which docs attach the rule. */
  readonly field: string
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
        const errors = rules.flatMap(({ broken, expected }) =>
          broken(value.right).map((path) => blame(value.right, path, expected, context)),
        )
        return errors.length === 0 ? value : t.failures(errors)
      },
      type.encode,
    )
    this.type = type
    this.rules = rules
  }
}

// constructors

/**
 * Fields of any name and type: a function without parameters, such as `() => [rule(...)]`, is read before the parameters
 * of its row, so that nothing is known of them.
 */
// biome-ignore lint/suspicious/noExplicitAny: with `unknown` no rule could be written there
type Fields = Readonly<Record<string, any>>

/** A rule about one field: the expected value in words, and a predicate that holds if the rule is kept. */
export const rule = <A = Fields>(
  field: Extract<keyof NoInfer<A>, string>,
  expected: string,
  holds: (a: A) => boolean,
): Rule<A> => ({ field, expected, broken: (a) => (holds(a) ? [] : [[field]]) })

// combinators

export const ruled =
  <A>(...rules: ReadonlyArray<Rule<A>>) =>
  (codec: Codec<A>): Codec<A> =>
    new RuledType(codec, rules)

const named = (expected: string): t.Mixed =>
  new t.Type(expected, t.unknown.is, t.unknown.validate, t.identity)

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
