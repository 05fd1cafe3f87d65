/** Rules that several tables use, such as `is.finiteMillis`. */
import type { MayBeUndefined, OptionRule, OptionsTable, Table } from './OptionsTable.js'

// numbers

const numberThat = (accepts: (n: number) => boolean, expected: string): OptionRule<number> => ({
  accepts: (u) => typeof u === 'number' && accepts(u),
  expected,
  type: 'number',
})

export const atLeast = (n: number): OptionRule<number> =>
  numberThat((u) => u >= n, `a number of at least ${n}`)

export const above = (n: number): OptionRule<number> =>
  numberThat((u) => u > n, `a number above ${n}`)

const MILLIS = 'at least 0 milliseconds'

/** Milliseconds; `Infinity` means never. */
export const millis = numberThat((n) => n >= 0, MILLIS)

export const finiteMillis = numberThat((n) => n >= 0 && n < Number.POSITIVE_INFINITY, MILLIS)

export const positiveFinite = numberThat(
  (n) => n > 0 && n < Number.POSITIVE_INFINITY,
  'a finite number above 0',
)

export const fraction = numberThat((n) => n > 0 && n <= 1, 'above 0 and at most 1')

export const probability = numberThat((n) => n >= 0 && n <= 1, 'a probability from 0 to 1')

/** Creates a rule for integers in a range. `text` is `to` as shown in errors. */
export const int = (
  from: number,
  to = Number.POSITIVE_INFINITY,
  text = String(to),
): OptionRule<number> =>
  numberThat(
    (n) => Number.isInteger(n) && n >= from && n <= to,
    to === Number.POSITIVE_INFINITY
      ? `a whole number of at least ${from}`
      : `a whole number from ${from} to ${text}`,
  )

const intOrInfinity = (from: number): OptionRule<number> =>
  numberThat(
    (n) => n === Number.POSITIVE_INFINITY || (Number.isInteger(n) && n >= from),
    `a whole number of at least ${from}, or Infinity`,
  )

export const positiveIntOrInfinity = intOrInfinity(1)

export const nonNegativeIntOrInfinity = intOrInfinity(0)

// strings

export const stringThat = (
  accepts: (text: string) => boolean,
  expected: string,
): OptionRule<string> => ({
  accepts: (u) => typeof u === 'string' && accepts(u),
  expected,
  type: 'string',
})

export const string = stringThat(() => true, 'a string')

export const nonEmptyString = stringThat((text) => text !== '', 'a non-empty string')

/** Rejects days that do not exist, such as 30 February: `Date` turns them into 1 or 2 March. */
const isDay = (text: string): boolean => {
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(`${text}T`)
}

export const isoDay = stringThat(isDay, 'a date in the form YYYY-MM-DD')

export const oneOf = <const Word extends string>(
  ...words: ReadonlyArray<Word>
): OptionRule<Word> => ({
  accepts: (u) => words.some((word) => word === u),
  expected: `one of ${words.map((word) => `'${word}'`).join(', ')}`,
  type: 'string',
})

// others

export const boolean: OptionRule<boolean> = {
  accepts: (u) => typeof u === 'boolean',
  expected: 'true or false',
}

/** Recognizes a `Date` of any realm, such as a test runner's, but not a proxy of one. */
export const isDate = (u: unknown): u is Date => {
  // tested without an exception first, because an exception costs a thousand times as much
  if (Object.prototype.toString.call(u) !== '[object Date]') return false
  try {
    Reflect.apply(Date.prototype.getTime, u, [])
    return true
  } catch {
    return false
  }
}

export const date: OptionRule<Date> = {
  accepts: (u) => isDate(u) && !Number.isNaN(u.getTime()),
  expected: 'a valid Date',
}

type AnyFunction = (...args: never) => unknown

/** A function. Only the compiler can check that it has the signature of `F`. */
export const fn = <F extends AnyFunction = AnyFunction>(
  expected = 'a function',
): OptionRule<F> => ({
  accepts: (u) => typeof u === 'function',
  expected,
})

/** An object or function with all of these methods. */
export const withMethods = <A = unknown>(
  expected: string,
  ...methods: ReadonlyArray<string>
): OptionRule<A> => ({
  accepts: (u) =>
    ((typeof u === 'object' && u !== null) || typeof u === 'function') &&
    methods.every((name) => typeof Reflect.get(u, name) === 'function'),
  expected: `${expected}, with ${methods.join(' and ')}`,
})

/** `S` is `SchedulerLike`, which is not imported because some entries of the package do not need RxJS. */
export const rxScheduler = <S = unknown>(): OptionRule<S> =>
  withMethods('an RxJS scheduler', 'now', 'schedule')

/** Accepts objects with fields. An array, a `Map` or a `Date` would look like an object without options. */
export const isObject = (u: unknown): u is object =>
  Object.prototype.toString.call(u) === '[object Object]' ||
  (typeof u === 'object' &&
    u !== null &&
    !Array.isArray(u) &&
    Object.keys(u).some((name) => !/^\d+$/.test(name)))

/** An object whose fields are not checked. */
export const object = (expected: string): OptionRule<object> => ({ accepts: isObject, expected })

export const arrayOf = <A>(
  each: OptionRule<A>,
  expected: string,
): OptionRule<ReadonlyArray<A>> => ({
  accepts: Array.isArray,
  expected,
  each,
})

/** An object with names chosen by the caller. */
export const recordOf = <A>(
  each: OptionRule<A>,
  expected: string,
): OptionRule<Readonly<Record<string, A>>> => ({
  accepts: isObject,
  expected,
  each,
})

/** Options with a table of their own. */
export const group = <A extends object>(
  fields: OptionsTable<A> & Table,
): OptionRule<A, MayBeUndefined<A>> => ({
  accepts: isObject,
  expected: `an object like { ${Object.keys(fields).join(', ')} }`,
  fields,
})
