/** How long to wait before the next attempt; pure, since chance is handed in. */
import { type IO, O } from '../fp.js'
import { checkOptions, is, type OptionsTable, required } from '../options/index.js'

// model

/** A span, or a moment of some clock, in milliseconds. */
export type Millis = number

/** The pause after attempt `n` (the first is 1), or none when it was the last. */
export type Backoff = (attempt: number) => O.Option<Millis>

/** What `exponential` doubles, and up to what. */
export interface BackoffOptions {
  /** The first pause, in ms. */
  readonly first: Millis
  /** No pause is longer than this, jitter left aside, in ms. */
  readonly cap: Millis
  /** How many attempts there are after the first. */
  readonly repeats: number
  /** A number from 0 up to, but not including, 1. */
  readonly random: IO<number>
}

/** What a pause begins with, and what it grows to. */
type Bounds = Pick<BackoffOptions, 'first' | 'cap'>

/** Pauses without an end. */
export interface DoublingOptions extends Omit<BackoffOptions, 'repeats'> {
  /** The most that chance adds, as a share of a pause. Default: a quarter. */
  readonly jitter?: number
}

/** 1, 2, 4 ... up to 16 seconds, in ms (interface, Limits). */
export const PAUSES = Object.freeze({ first: 1_000, cap: 16_000 })

/** The most that chance adds by default, as a share of a pause. */
const JITTER = 0.25

/** More of them are no number any longer. */
const DOUBLINGS = 1_023

// constructors

/** A pause after every attempt: doubling from `first` up to `cap`, plus a random part of up to `jitter` of that. */
export const doubling =
  ({ first, cap, jitter = JITTER, random }: DoublingOptions) =>
  (attempt: number): Millis =>
    Math.min(cap, first * 2 ** Math.min(attempt - 1, DOUBLINGS)) * (1 + random() * jitter)

const rules: OptionsTable<BackoffOptions> = {
  first: required(is.finiteMillis),
  cap: required(is.millis),
  repeats: required(is.nonNegativeIntOrInfinity),
  random: required(is.fn()),
}

/**
 * Doubling from `first` up to `cap`, plus a random part of up to a quarter of that, in whole milliseconds. Throws an
 * `InvalidOption` for an option that cannot work, is missing, or that there is not.
 */
export const exponential = (options: BackoffOptions): Backoff => {
  const { first, cap, repeats, random } = checkOptions(options, rules, { context: 'exponential: ' })
  const pause = doubling({ first, cap, random })
  return (attempt) => (attempt > repeats ? O.none : O.some(Math.round(pause(attempt))))
}

// combinators

/** How long all pauses are together, in ms, chance left aside. */
export const pausesOf = ({ first, cap, repeats }: Omit<BackoffOptions, 'random'>): Millis => {
  const growing = Math.min(repeats, doublings({ first, cap }))
  return first * (2 ** growing - 1) + cap * (repeats - growing)
}

/** So many pauses are shorter than any that follow. */
const doublings = ({ first, cap }: Bounds): number => Math.max(0, Math.ceil(Math.log2(cap / first)))
