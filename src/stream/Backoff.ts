/** Pauses before the next attempt. Pure, because randomness is injected. */
import { type IO, O } from '../fp.js'
import { is, type OptionsOf, required, resolveOptions } from '../options/index.js'

/** A duration, or a point in time on some clock, in milliseconds. */
export type Millis = number

/** Returns the pause after attempt `n`, counted from 1, or none after the last attempt. */
export type Backoff = (attempt: number) => O.Option<Millis>

const table = {
  /** First pause, in ms. */
  first: required(is.finiteMillis),
  /** Longest pause before jitter, in ms. */
  cap: required(is.millis),
  /** Maximum number of attempts after the first. */
  repeats: required(is.nonNegativeIntOrInfinity),
  /** Returns a number from 0 up to, but not including, 1. */
  random: required(is.fn<IO<number>>()),
}

/** Options of `exponential`. */
export interface BackoffOptions extends OptionsOf<typeof table> {}

type BackoffBounds = Pick<BackoffOptions, 'first' | 'cap'>

/** Options of `doubling`, which never stops returning pauses. */
export interface DoublingOptions extends Omit<BackoffOptions, 'repeats'> {
  /** Maximum random addition, as a share of the pause. Default 0.25. */
  readonly jitter?: number
}

/** 1, 2, 4 ... up to 16 seconds, in ms. */
export const backoffDefaults = Object.freeze({ first: 1_000, cap: 16_000 })

/** Default maximum random addition, as a share of a pause. */
const JITTER = 0.25

/** Largest finite exponent of 2: `2 ** 1_024` is `Infinity`. */
const DOUBLINGS = 1_023

/** Returns a pause after every attempt. It doubles from `first` up to `cap`, plus a random share of up to `jitter` of that. */
export const doubling =
  ({ first, cap, jitter = JITTER, random }: DoublingOptions) =>
  (attempt: number): Millis =>
    Math.min(cap, first * 2 ** Math.min(attempt - 1, DOUBLINGS)) * (1 + random() * jitter)

/**
 * Returns pauses that double from `first` up to `cap`, plus a random share of up to a quarter of that, in whole milliseconds.
 * Throws an `InvalidOption` for an option that is invalid, missing or unknown.
 */
export const exponential = (options: BackoffOptions): Backoff => {
  const { first, cap, repeats, random } = resolveOptions(options, table, {
    context: 'exponential: ',
  })
  const pause = doubling({ first, cap, random })
  return (attempt) => (attempt > repeats ? O.none : O.some(Math.round(pause(attempt))))
}

/** Returns the sum of all pauses without jitter, in ms. */
export const pausesOf = ({ first, cap, repeats }: Omit<BackoffOptions, 'random'>): Millis => {
  const growing = Math.min(repeats, doublings({ first, cap }))
  return first * (2 ** growing - 1) + cap * (repeats - growing)
}

/** Returns the number of pauses that are shorter than all later ones. */
const doublings = ({ first, cap }: BackoffBounds): number =>
  Math.max(0, Math.ceil(Math.log2(cap / first)))
