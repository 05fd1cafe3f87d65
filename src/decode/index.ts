/**
 * Compiles io-ts codecs to fast decoders, explains refusals, watches for drift (unknown fields and values), and keeps amounts
 * of money exact.
 */
export { InvalidOption } from '../options/index.js'
export { type Cause, causes, explain } from './causes.js'
export { compile } from './compile.js'
export type { Decoder } from './decodeSafely.js'
export { digitsOf, parseExact, stringifyExact } from './digits.js'
export { type Drift, type DriftFact, type DriftOptions, drift } from './drift.js'
export {
  fromMinorUnits,
  type MinorUnitsFailure,
  minorUnitsOf,
  type NoDigits,
  toMinorUnits,
} from './minorUnits.js'
export { type Open, type OpenC, open } from './open.js'
export type { DriftKind } from './watcher.js'
