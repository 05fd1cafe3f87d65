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

/** 1, 2, 4 ... up to 16 seconds (interface, Limits). */
export const PAUSES = { first: 1_000, cap: 16_000 } as const

// constructors

/** Doubling from `first` up to `cap`, plus a random part of up to a quarter of that. */
export const exponential =
  ({ first, cap, repeats, random }: BackoffOptions): Backoff =>
  (attempt) =>
    attempt > repeats
      ? O.none
      : O.some(Math.round(Math.min(cap, first * 2 ** (attempt - 1)) * (1 + random() / 4)))
