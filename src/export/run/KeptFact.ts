/** What came that no codec names, as it is kept. */
import * as t from 'io-ts'
import type { Codec } from '../../codec/Codec.js'
import { type DriftFact, factName } from '../../decode/drift.js'
import { driftKinds } from '../../decode/watcher.js'

// model

export const KeptFact: Codec<DriftFact> = t.readonly(
  t.type({
    endpoint: t.string,
    path: t.string,
    kind: t.keyof(driftKinds),
    example: t.string,
    count: t.number,
  }),
)

// combinators

/** The facts of two runs as those of one. */
export const allFacts = (
  before: ReadonlyArray<DriftFact>,
  now: ReadonlyArray<DriftFact>,
): ReadonlyArray<DriftFact> => {
  const all = new Map<string, DriftFact>()
  for (const fact of [...before, ...now]) {
    const name = factName(fact)
    const known = all.get(name)
    all.set(name, known === undefined ? fact : { ...known, count: known.count + fact.count })
  }
  return [...all.values()]
}
