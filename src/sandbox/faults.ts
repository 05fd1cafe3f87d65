import type { IO } from '../fp.js'

// model

/** What can go wrong on purpose: by chance, by a plan of the caller's, or asked for by a header. */
export const faultNames = Object.freeze([
  '429',
  '429-storm',
  '500',
  '500-after',
  'reset-before',
  'reset-after',
  'no-answer',
  'cut-off',
  'stall',
  'slow',
  'malformed-row',
  'unknown-field',
  'unknown-enum',
  'token-revoked',
] as const)

/**
 * - `429`: refused, as if a limit were used up.
 * - `429-storm`: so is everything for two seconds from now on.
 * - `500`, `reset-before`: an error, or a closed connection, and nothing was done.
 * - `500-after`, `reset-after`: the same, and all was done.
 * - `no-answer`: all was done, no answer comes, and the connection stays open.
 * - `cut-off`, `stall`: the body stops halfway; the connection closes, or stays open.
 * - `slow`: the body comes in ten pieces, 100 ms apart.
 * - `malformed-row`: the amount is an object, or the id; in a list, that of the row in the middle.
 * - `unknown-field`, `unknown-enum`: each object has a new field, or a status never seen.
 * - `token-revoked`: all tokens issued so far stop working.
 */
export type FaultName = (typeof faultNames)[number]

/** A request that a fault may befall. */
export interface FaultTarget {
  /** The route, such as `GET /api/v1/charges`. */
  readonly route: string
  /** How many requests this route has had, this one included: the first is 1. */
  readonly nth: number
}

/** How likely each fault is, from 0 to 1; or which fault befalls a request. */
export type Faults =
  | { readonly [Name in FaultName]?: number }
  | ((target: FaultTarget) => FaultName | undefined)

/** The header that asks for a fault by name. */
export const FAULT_HEADER = 'x-sandbox-fault'

/** How long a storm lasts, in ms. */
export const STORM = 2_000

// combinators

export const isFaultName = (text: string): text is FaultName =>
  faultNames.some((name) => name === text)

/** How likely it is that some fault befalls a request, as far as chances tell. */
export const totalOf = (faults: Faults): number =>
  typeof faults === 'function' ? 0 : faultNames.reduce((sum, name) => sum + (faults[name] ?? 0), 0)

/** At most one fault a request. Always draws one number, so that what comes next does not shift. */
export const drawFault =
  (faults: Faults, random: IO<number>) =>
  (target: FaultTarget): FaultName | undefined => {
    const drawn = random()
    if (typeof faults === 'function') return faults(target)
    let sum = 0
    return faultNames.find((name) => {
      sum += faults[name] ?? 0
      return drawn < sum
    })
  }
