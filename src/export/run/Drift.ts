/** What came that no codec names, as it is kept. */
import * as t from 'io-ts'
import type { Codec } from '../../codec/Codec.js'
import type { DriftFact } from '../../decode/index.js'

// model

export const Drift: Codec<DriftFact> = t.readonly(
  t.type({
    endpoint: t.string,
    path: t.string,
    kind: t.keyof({
      'unknown field': null,
      'unknown value': null,
      'optional field': null,
      'second shape': null,
      'other paging': null,
    }),
    example: t.string,
    count: t.number,
  }),
)

// combinators

/** The facts of two runs as those of one. */
export const drifts = (
  before: ReadonlyArray<DriftFact>,
  now: ReadonlyArray<DriftFact>,
): ReadonlyArray<DriftFact> => {
  const all = new Map<string, DriftFact>()
  for (const fact of [...before, ...now]) {
    const { endpoint, path, kind, example } = fact
    const name = JSON.stringify([endpoint, path, kind, kind === 'unknown value' ? example : ''])
    const known = all.get(name)
    all.set(name, known === undefined ? fact : { ...known, count: known.count + fact.count })
  }
  return [...all.values()]
}
