/**
 * Which numbers are known exactly. A double tells decimals of four places apart, the most that a currency
 * of ISO 4217 has, while its neighbours are less than 0.0001 away: below 2^39. It tells whole numbers apart
 * up to 2^53.
 */

// model

/** Whether digits beside a number count, and are written in its place. */
export type Numbers = 'exact' | 'fast'

/** Numbers of a kind. */
export interface Kind {
  readonly isExact: (n: number) => boolean
  /** Whether digits beside it tell what it is. */
  readonly hasDigits: (n: number) => boolean
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
  hasDigits: () => true,
  expected: `a number below 549,755,813,888, ${DIGITS}`,
}

/** Whole numbers. */
export const WHOLE: Kind = {
  isExact: Number.isSafeInteger,
  hasDigits: Number.isInteger,
  expected: `a whole number below 2^53, ${DIGITS}`,
}

/** Of which nobody says what they are. */
export const ANY: Kind = {
  isExact: (n) => isAmount(n) || Number.isSafeInteger(n),
  hasDigits: () => true,
  expected: `a number below 549,755,813,888, a whole one below 2^53, ${DIGITS}`,
}
