import type * as t from 'io-ts'
import { checked, is, type Rules } from '../../options/index.js'
import { redact } from '../redact.js'
import { type Counter, type DriftFact, type DriftKind, factName } from './Fact.js'
import { watcherOf } from './watcher.js'

/** Collects how what comes differs from what is described. Nothing is refused for it. */
export interface Drift {
  /**
   * Looks at what an endpoint sent, before it is decoded. Made once for an endpoint and called for
   * each value; throws only what `onFact` throws.
   */
  readonly watch: (endpoint: string, codec: t.Mixed) => (u: unknown) => void
  /** Counts what somebody else found; of the first, the type and size are kept. */
  readonly found: (endpoint: string, path: string, kind: DriftKind, value: unknown) => void
  /** What was seen so far, in the order in which it was seen first. */
  readonly facts: () => ReadonlyArray<DriftFact>
}

/** Who is told, and how much is kept. */
export interface DriftOptions {
  /** Called when something is seen for the first time. */
  readonly onFact?: (fact: DriftFact) => void
  /** How many different facts are kept, so that a service that invents names cannot fill the memory. Default 1,000. */
  readonly maxFacts?: number
}

interface Counted extends Counter, Omit<DriftFact, 'count'> {}

const rules: Rules<DriftOptions> = { onFact: is.work, maxFacts: is.bound }

/** A collector of drift. Who does not make one pays nothing. Throws an `InvalidOption`. */
export const drift = (options: DriftOptions = {}): Drift => {
  const { onFact, maxFacts = 1_000 } = checked(options, rules)
  const seen = new Map<string, Counted>()
  const surplus: Counter = { count: 0 }
  let fresh: Array<Counted> = []

  const counting =
    (endpoint: string) =>
    (path: string, kind: DriftKind, example: string): Counter => {
      const name = factName({ endpoint, path, kind, example })
      const known = seen.get(name)
      if (known !== undefined) return known
      if (seen.size >= maxFacts) return surplus
      const fact: Counted = { endpoint, path, kind, example, count: 0 }
      seen.set(name, fact)
      fresh.push(fact)
      return fact
    }

  const tell = (): void => {
    const told = fresh
    fresh = []
    for (const fact of told) onFact?.({ ...fact })
  }

  return {
    watch: (endpoint, codec) => {
      let look: ((u: unknown) => void) | undefined
      return (u) => {
        try {
          look ??= watcherOf(codec, counting(endpoint)) ?? (() => undefined)
          look(u)
        } catch {
          // a getter that throws, or input too deep to walk: decoding says so
        }
        if (fresh.length > 0) tell()
      }
    },
    found: (endpoint, path, kind, value) => {
      counting(endpoint)(path, kind, redact(value)).count++
      if (fresh.length > 0) tell()
    },
    facts: () => [...seen.values()].map((fact) => ({ ...fact })),
  }
}
