/** The rules that several tables have. */
import type { Needed, Rule, Rules, Table } from './Rule.js'

// numbers

const number = (fits: (n: number) => boolean, expected: string): Rule => ({
  fits: (u) => typeof u === 'number' && fits(u),
  expected,
  type: 'number',
})

export const least = (n: number): Rule => number((u) => u >= n, `a number of at least ${n}`)

export const above = (n: number): Rule => number((u) => u > n, `a number above ${n}`)

const MILLIS = 'milliseconds of at least 0'

/** `Infinity` is one that does not end. */
export const millis = number((n) => n >= 0, MILLIS)

/** One that ends. */
export const span = number((n) => n >= 0 && n < Number.POSITIVE_INFINITY, MILLIS)

/** Neither 0 nor `Infinity`. */
export const positive = number(
  (n) => n > 0 && n < Number.POSITIVE_INFINITY,
  'a finite number above 0',
)

export const fraction = number((n) => n > 0 && n <= 1, 'above 0 and at most 1')

export const chance = number((n) => n >= 0 && n <= 1, 'a chance from 0 to 1')

export const whole = (from: number, to = Number.POSITIVE_INFINITY, text = String(to)): Rule =>
  number(
    (n) => Number.isInteger(n) && n >= from && n <= to,
    to === Number.POSITIVE_INFINITY
      ? `a whole number of at least ${from}`
      : `a whole number from ${from} to ${text}`,
  )

/** `Infinity` is no bound. */
export const bound = number(
  (n) => n === Number.POSITIVE_INFINITY || (Number.isInteger(n) && n >= 1),
  'a whole number of at least 1, or Infinity',
)

/** Nothing at all may be as many as there may be. */
export const most = number(
  (n) => n === 0 || bound.fits(n),
  'a whole number of at least 0, or Infinity',
)

// texts

export const textThat = (fits: (text: string) => boolean, expected: string): Rule => ({
  fits: (u) => typeof u === 'string' && fits(u),
  expected,
  type: 'string',
})

export const text = textThat(() => true, 'a text')

export const filled = textThat((text) => text !== '', 'a text that is not empty')

/** In the calendar: another one, such as 30 February, is none, or comes out as the day that it runs over to. */
const isDay = (text: string): boolean => {
  const at = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(`${text}T`)
}

export const date = textThat(isDay, 'a date as YYYY-MM-DD')

/** As a `Date`. */
export const time: Rule = {
  fits: (u) => u instanceof Date && !Number.isNaN(u.getTime()),
  expected: 'a Date that is a time',
}

export const oneOf = (...words: ReadonlyArray<string>): Rule =>
  textThat((text) => words.includes(text), `one of ${words.map((word) => `'${word}'`).join(', ')}`)

// others

export const flag: Rule = { fits: (u) => typeof u === 'boolean', expected: 'true or false' }

export const work: Rule = { fits: (u) => typeof u === 'function', expected: 'a function' }

/** What has all of these methods. */
export const having = (expected: string, ...methods: ReadonlyArray<string>): Rule => ({
  fits: (u) =>
    ((typeof u === 'object' && u !== null) || typeof u === 'function') &&
    methods.every((name) => typeof Reflect.get(u, name) === 'function'),
  expected: `${expected}, with ${methods.join(' and ')}`,
})

export const timer: Rule = having('a scheduler of RxJS', 'now', 'schedule')

/** What shows its fields: no list, no `Map` and no `Date`, which would be taken for none given. */
export const isObject = (u: unknown): u is object =>
  Object.prototype.toString.call(u) === '[object Object]' ||
  (typeof u === 'object' &&
    u !== null &&
    !Array.isArray(u) &&
    Object.keys(u).some((name) => !/^\d+$/.test(name)))

/** Something that is not looked into. */
export const object = (expected: string): Rule => ({ fits: isObject, expected })

export const listOf = (each: Rule, expected: string): Rule => ({
  fits: Array.isArray,
  expected,
  each,
})

/** An object with names of the caller's own. */
export const eachOf = (each: Rule, expected: string): Rule => ({ fits: isObject, expected, each })

/** Options that have names of their own. */
export const group = <A extends object>(inside: Rules<A>): Rule => groupOf(inside)

/** The same, by names that are known elsewhere. */
export const groupOf = (inside: Table): Rule => ({
  fits: isObject,
  expected: `an object of ${Object.keys(inside).join(', ')}`,
  inside,
})

export const needed = (rule: Rule): Needed => ({ ...rule, isNeeded: true })
