import type * as t from 'io-ts'
import { is, type OptionsOf, resolveOptions, withDefault } from '../options/index.js'
import { redact } from './redact.js'
import { type Counter, type DriftKind, watcherOf } from './watcher.js'

// model

/** One difference between what comes and what is described, and how often it was seen. */
export interface DriftFact {
  /** The endpoint, as it was named to `watch`. */
  readonly endpoint: string
  /** A path such as `items[].funding.status`; a star stands for a key of a record, or one that may be content. */
  readonly path: string
  /** How it differs from the codec. */
  readonly kind: DriftKind
  /** The type and size of the first one; of an unknown value, the value itself if it reads like one. */
  readonly example: string
  /** How often it was seen. */
  readonly count: number
}

/** Collects how what comes differs from what is described. Nothing is refused for it. */
export interface Drift {
  /**
   * Looks at what an endpoint sent, before it is decoded. Made once for an endpoint and called for
   * each value; throws only what `onFact` throws.
   */
  readonly watch: (endpoint: string, codec: t.Mixed) => (u: unknown) => void
  /** Counts a fact that was found elsewhere, with the type and size of the first value. */
  readonly found: (endpoint: string, path: string, kind: DriftKind, value: unknown) => void
  /** All facts so far, in the order in which they were first seen. */
  readonly facts: () => ReadonlyArray<DriftFact>
}

const table = {
  /** Receives each fact when it is seen for the first time. */
  onFact: is.fn<(fact: DriftFact) => void>(),
  /** Number of different facts that are kept: a service that invents names cannot fill the memory. Default 1,000. */
  maxFacts: withDefault(is.positiveIntOrInfinity, 1_000),
}

/** Options of `drift`. */
export interface DriftOptions extends OptionsOf<typeof table> {}

/** Identifies a fact, without its count. Each unknown value is a fact of its own. */
export const factName = ({
  endpoint,
  path,
  kind,
  example,
}: Pick<DriftFact, 'endpoint' | 'path' | 'kind' | 'example'>): string =>
  JSON.stringify([endpoint, path, kind, kind === 'unknown value' ? example : ''])

// constructors

interface CountedFact extends Counter, Omit<DriftFact, 'count'> {}

/** A collector of drift; without one, nothing is watched. Throws an `InvalidOption`. */
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
          // a getter that throws, or input too deep to walk: decoding reports it
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
