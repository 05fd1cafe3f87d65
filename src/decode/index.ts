/** io-ts codecs as fast decoders, and what they refuse in words. */
export { type Cause, causes, explain } from './causes.js'
export { compile, compiler, type Means } from './compile.js'
export type { Decoder } from './Decoder.js'
export { type Drift, type DriftOptions, drift } from './drift/drift.js'
export type { DriftFact, DriftKind } from './drift/Fact.js'
export { type Open, type OpenC, OpenType, open } from './open.js'
