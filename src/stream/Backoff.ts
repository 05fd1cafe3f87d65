/** Pauses before the next attempt; pure, since chance comes from outside. */
import { type IO, O } from '../fp.js'
import { is, type OptionsOf, required, resolveOptions } from '../options/index.js'

// model

/** A span, or a moment of some clock, in milliseconds. */
export type Millis = number

/** The pause after attempt `n` (the first is 1), or none when it was the last. */
export type Backoff = (attempt: number) => O.Option<Millis>

const table = {
  /** First pause, in ms. */
  first: required(is.finiteMillis),
  /** Longest pause before jitter, in ms. */
  cap: required(is.millis),
  /** Attempts after the first. */
  repeats: required(is.nonNegativeIntOrInfinity),
  /** Returns a number from 0 up to, but not including, 1. */
  random: required(is.fn<IO<number>>()),
}

/** Options of `exponential`. */
export interface BackoffOptions extends OptionsOf<typeof table> {}

/** The first pause, and the longest. */
type BackoffBounds = Pick<BackoffOptions, 'first' | 'cap'>

/** Pauses without an end. */
export interface DoublingOptions extends Omit<BackoffOptions, 'repeats'> {
  /** Most that chance adds, as a part of a pause. Default 0.25. */
  readonly jitter?: number
}

/** 1, 2, 4 ... up to 16 seconds, in ms (interface, Limits). */
export const PAUSES = Object.freeze({ first: 1_000, cap: 16_000 })

/** Most that chance adds by default, as a part of a pause. */
const JITTER = 0.25

/** Limit of `2 ** n`: one more is `Infinity`. */
const DOUBLINGS = 1_023

// constructors

/** A pause after every attempt: doubling from `first` up to `cap`, plus a random part of up to `jitter` of that. */
export const doubling =
  ({ first, cap, jitter = JITTER, random }: DoublingOptions) =>
  (attempt: number): Millis =>
    Math.min(cap, first * 2 ** Math.min(attempt - 1, DOUBLINGS)) * (1 + random() * jitter)

/**
 * Doubling from `first` up to `cap`, plus a random part of up to a quarter of that, in whole milliseconds. Throws an
 * `InvalidOption` for an option that cannot work, is missing, or that there is not.
 */
export const exponential = (options: BackoffOptions): Backoff => {
  const { first, cap, repeats, random } = resolveOptions(options, table, {
    context: 'exponential: ',
  })
  const pause = doubling({ first, cap, random })
  return (attempt) => (attempt > repeats ? O.none : O.some(Math.round(pause(attempt))))
}

// combinators

/** Returns the sum of all pauses without jitter, in ms. */
export const pausesOf = ({ first, cap, repeats }: Omit<BackoffOptions, 'random'>): Millis => {
  const growing = Math.min(repeats, doublings({ first, cap }))
  return first * (2 ** growing - 1) + cap * (repeats - growing)
}

/** Returns the number of pauses that are shorter than any that follow. */
const doublings = ({ first, cap }: BackoffBounds): number =>
  Math.max(0, Math.ceil(Math.log2(cap / first)))
