import { redact } from '../redact.js'

// model

/**
 * What came that a codec does not name. `optional field`: one that was missing came. `second shape`:
 * another member of a union than the first time. `other paging`: a list does not go on as it should.
 */
export type DriftKind = keyof typeof driftKinds

/** All kinds of drift, as the keys of a codec. */
export const driftKinds = {
  'unknown field': null,
  'unknown value': null,
  'optional field': null,
  'second shape': null,
  'other paging': null,
}

/** One thing that was seen, and how often. */
export interface DriftFact {
  /** The endpoint, as it was named to `watch`. */
  readonly endpoint: string
  /** Where, as in `items[].funding.status`; a star stands for a key of a record, or one not to be told. */
  readonly path: string
  /** How it differs from the codec. */
  readonly kind: DriftKind
  /** The type and size of the first one; of an unknown value, the value itself if it reads like one. */
  readonly example: string
  /** How often it was seen. */
  readonly count: number
}

/** A fact that still counts. */
export interface Counter {
  count: number
}

/** Finds the counter of a fact, or makes it. */
export type Counting = (path: string, kind: DriftKind, example: string) => Counter

// combinators

/** What two facts that are one have in common: of unknown values, each is one of its own. */
export const factName = ({
  endpoint,
  path,
  kind,
  example,
}: Pick<DriftFact, 'endpoint' | 'path' | 'kind' | 'example'>): string =>
  JSON.stringify([endpoint, path, kind, kind === 'unknown value' ? example : ''])

/** Whether a value reads like the known ones, and so is no content. */
const looksLike = (known: ReadonlyArray<string>, value: string): boolean =>
  value.length <= 40 &&
  value.replace(/\D/g, '').length < 5 &&
  (known.every((one) => /^[A-Z0-9_]+$/.test(one))
    ? /^[A-Z][A-Z0-9_]*$/.test(value)
    : /^[A-Za-z][\w.-]*$/.test(value))

/** The type and size of a value: an amount or a flag is what it says. */
export const sizeOf = (u: unknown): string =>
  typeof u === 'number' || typeof u === 'boolean' ? typeof u : redact(u)

export const exampleOf = (known: ReadonlyArray<string>, value: string): string =>
  looksLike(known, value) ? value : redact(value)
