/** How long to wait before the next attempt; pure, since chance is handed in. */
import { type IO, O } from '../fp.js'

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

/** Pauses without an end. */
export interface DoublingOptions extends Omit<BackoffOptions, 'repeats'> {
  /** The most that chance adds, as a share of a pause; a quarter unless given. */
  readonly jitter?: number
}

/** 1, 2, 4 ... up to 16 seconds, in ms (interface, Limits). */
export const PAUSES = { first: 1_000, cap: 16_000 } as const

/** How often a pause doubles until it is as long as any. */
const DOUBLED = Math.log2(PAUSES.cap / PAUSES.first)

/** The most that chance adds unless given, as a share of a pause. */
const JITTER = 0.25

/** More of them are no number any longer. */
const DOUBLINGS = 1_023

// constructors

/** A pause after every attempt: doubling from `first` up to `cap`, plus a random part of up to `jitter` of that. */
export const doubling =
  ({ first, cap, jitter = JITTER, random }: DoublingOptions) =>
  (attempt: number): Millis =>
    Math.min(cap, first * 2 ** Math.min(attempt - 1, DOUBLINGS)) * (1 + random() * jitter)

/** Doubling from `first` up to `cap`, plus a random part of up to a quarter of that, in whole milliseconds. */
export const exponential = ({ first, cap, repeats, random }: BackoffOptions): Backoff => {
  const pause = doubling({ first, cap, random })
  return (attempt) => (attempt > repeats ? O.none : O.some(Math.round(pause(attempt))))
}

// combinators

/** How long all pauses of so many repeats are together, in ms, chance left aside. */
export const pausesOf = (repeats: number): Millis => {
  const { first, cap } = PAUSES
  const doubling = Math.min(repeats, DOUBLED)
  return first * (2 ** doubling - 1) + cap * (repeats - doubling)
}

/** The fewest repeats whose pauses are together as long as `ms`. */
export const repeatsFor = (ms: Millis): number => {
  const { first, cap } = PAUSES
  const longer = ms - pausesOf(DOUBLED)
  return longer > 0 ? DOUBLED + Math.ceil(longer / cap) : Math.ceil(Math.log2(ms / first + 1))
}
