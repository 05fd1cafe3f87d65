/** Identifiers that hold the number of their resource, so that it is found without an index. */
import { O } from '../fp.js'
import { hash, hexText, subSeed, unhash } from './account/hash.js'

// model

export interface Ids {
  readonly id: (n: number) => string
  readonly number: (id: string) => O.Option<number>
}

export type Kind = 'batch' | 'webhook' | 'partner webhook'

// constructors

const kinds: Readonly<Record<Kind, readonly [string, number]>> = {
  batch: ['bat_', 11],
  webhook: ['whk_', 12],
  'partner webhook': ['pwh_', 13],
}

/** A prefix and 8 hexadecimal digits. */
export const ids = (kind: Kind, seed: number): Ids => {
  const [prefix, purpose] = kinds[kind]
  const key = subSeed(seed, purpose)
  return {
    id: (n) => prefix + hexText(hash(n ^ key)),
    number: (id) =>
      id.startsWith(prefix) && /^[0-9a-f]{8}$/.test(id.slice(prefix.length))
        ? O.some((unhash(Number.parseInt(id.slice(prefix.length), 16)) ^ key) >>> 0)
        : O.none,
  }
}
