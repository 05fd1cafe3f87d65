/**
 * Which numbers are known exactly. A double tells decimals of four places apart, the most that a currency
 * of ISO 4217 has, while its neighbours are less than 0.0001 away: below 2^39. It tells whole numbers apart
 * up to 2^53.
 */
import { isWhole } from './decimal.js'

// model

/** Whether digits beside a number count, and are written in its place. */
export type Numbers = 'exact' | 'fast'

/** Which numbers are looked at, and what counts. */
export interface Looking {
  readonly numbers: Numbers
  /** Whether numbers that no codec describes are looked at, too: not where they are written as they came. */
  readonly anywhere: boolean
}

/** Numbers of a kind. */
export interface Kind {
  readonly isExact: (n: number) => boolean
  /** Whether it is one of them by its digits; all are, without it. */
  readonly fits?: (digits: string) => boolean
  /** In words, for who reads why one is not written. */
  readonly expected: string
}

// constructors

/** 549,755,813,888. */
export const EXACT_BELOW = 2 ** 39

const DIGITS = "or its digits (read and written with numbers: 'exact')"

const isAmount = (n: number): boolean => n < EXACT_BELOW && n > -EXACT_BELOW

/** Decimals. */
export const AMOUNT: Kind = {
  isExact: isAmount,
  expected: `a number below 549,755,813,888, ${DIGITS}`,
}

/** Whole numbers. */
export const WHOLE: Kind = {
  isExact: Number.isSafeInteger,
  fits: isWhole,
  expected: `a whole number below 2^53, ${DIGITS}`,
}

/** Of which nobody says what they are. */
export const ANY: Kind = {
  isExact: (n) => isAmount(n) || Number.isSafeInteger(n),
  expected: `a number below 549,755,813,888, a whole one below 2^53, ${DIGITS}`,
}
