import type * as t from 'io-ts'
import { is, type OptionsOf, resolveOptions, withDefault } from '../options/index.js'
import { redact } from './redact.js'
import { type Counter, type DriftKind, watcherOf } from './watcher.js'

/** A difference between received data and its codec (drift), and the number of times it was seen. */
export interface DriftFact {
  /** The endpoint, as named in the call of `watch`. */
  readonly endpoint: string
  /** A path such as `items[].funding.status`. `*` replaces a key of a record, or a key that may be content. */
  readonly path: string
  /** The kind of difference. */
  readonly kind: DriftKind
  /** The type and size of the first occurrence; the value itself, if it looks like a value of the enumeration. */
  readonly example: string
  /** Number of times it was seen. */
  readonly count: number
}

/** Collects differences between received data and its codecs (drift). Rejects nothing. */
export interface Drift {
  /**
   * Compares the data of an endpoint before it is decoded. Create a watcher once per endpoint, and call it for each value. Throws
   * only if `onFact` throws.
   */
  readonly watch: (endpoint: string, codec: t.Mixed) => (u: unknown) => void
  /** Counts a difference that was found elsewhere, with the type and size of the first value. */
  readonly found: (endpoint: string, path: string, kind: DriftKind, value: unknown) => void
  /** All facts so far, in order of first occurrence. */
  readonly facts: () => ReadonlyArray<DriftFact>
}

const table = {
  /** Called when a fact is seen for the first time. */
  onFact: is.fn<(fact: DriftFact) => void>(),
  /** Maximum number of different facts, so that a service that invents names cannot fill the memory. Default 1,000. */
  maxFacts: withDefault(is.positiveIntOrInfinity, 1_000),
}

/** Options of `drift`. */
export interface DriftOptions extends OptionsOf<typeof table> {}

/** Identifies a fact without its count. Each unknown value is a separate fact. */
export const factName = ({
  endpoint,
  path,
  kind,
  example,
}: Pick<DriftFact, 'endpoint' | 'path' | 'kind' | 'example'>): string =>
  JSON.stringify([endpoint, path, kind, kind === 'unknown value' ? example : ''])

interface CountedFact extends Counter, Omit<DriftFact, 'count'> {}

/** Creates a collector of drift. Throws an `InvalidOption`. */
export const drift = (options: DriftOptions = {}): Drift => {
  const { onFact, maxFacts } = resolveOptions(options, table)
  const seen = new Map<string, CountedFact>()
  const surplus: Counter = { count: 0 }
  let fresh: Array<CountedFact> = []

  const counting =
    (endpoint: string) =>
    (path: string, kind: DriftKind, example: string): Counter => {
      const name = factName({ endpoint, path, kind, example })
      const existing = seen.get(name)
      if (existing !== undefined) return existing
      if (seen.size >= maxFacts) return surplus
      const fact: CountedFact = { endpoint, path, kind, example, count: 0 }
      seen.set(name, fact)
      fresh.push(fact)
      return fact
    }

  const report = (): void => {
    if (fresh.length === 0) return
    const reported = fresh
    fresh = []
    for (const fact of reported) onFact?.({ ...fact })
  }

  return {
    watch: (endpoint, codec) => {
      let look: ((u: unknown) => void) | undefined
      return (u) => {
        try {
          look ??= watcherOf(codec, counting(endpoint)) ?? (() => undefined)
          look(u)
        } catch {
          // a getter threw, or the input is too deep to walk; decoding reports it
        }
        report()
      }
    },
    found: (endpoint, path, kind, value) => {
      counting(endpoint)(path, kind, redact(value)).count++
      report()
    },
    facts: () => [...seen.values()].map((fact) => ({ ...fact })),
  }
}
