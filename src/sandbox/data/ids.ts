/** Identifiers that encode the number of their resource, so that no index is needed to find the resource. */
import { hash, hex4, hex8, subSeed, unhash } from './hash.js'

/** Prefix and purpose of the seed, by resource. */
const kinds = {
  charge: ['chg_', 3],
  batch: ['bat_', 11],
  webhook: ['whk_', 12],
  'partner webhook': ['pwh_', 13],
} as const

export type ResourceKind = keyof typeof kinds

const HEX8 = /^[0-9a-f]{8}$/

/** Returns the id of the n-th resource of a kind: a prefix and 8 hexadecimal digits. */
export const idOf = (kind: ResourceKind, seed: number, n: number): string => {
  const [prefix, purpose] = kinds[kind]
  return prefix + hex8(hash(n ^ subSeed(seed, purpose)))
}

/** Returns the number in an id of this kind; `undefined` for any other text. */
export const numberOf = (kind: ResourceKind, seed: number, id: string): number | undefined => {
  const [prefix, purpose] = kinds[kind]
  const digits = id.slice(prefix.length)
  return id.startsWith(prefix) && HEX8.test(digits)
    ? (unhash(Number.parseInt(digits, 16)) ^ subSeed(seed, purpose)) >>> 0
    : undefined
}

/** Returns the `request_id` of a generated charge, in the form of a version 4 UUID. */
export const requestIdOf = (seed: number, n: number): string => {
  const key = subSeed(seed, 4)
  const a = hash(n ^ key)
  const b = hash(a ^ subSeed(seed, 3))
  const c = hash(b ^ key)
  const version = hex4((b & 0x0fff) | 0x4000)
  const variant = hex4(((c >>> 16) & 0x3fff) | 0x8000)
  return `${hex8(a)}-${hex4(b >>> 16)}-${version}-${variant}-${hex4(c)}${hex8(hash(c))}`
}

/** Returns the number in a generated charge's `request_id`; `undefined` for any other text. */
export const numberOfRequestId = (seed: number, requestId: string): number | undefined => {
  const digits = requestId.slice(0, 8)
  if (!HEX8.test(digits)) return undefined
  const n = (unhash(Number.parseInt(digits, 16)) ^ subSeed(seed, 4)) >>> 0
  return requestIdOf(seed, n) === requestId ? n : undefined
}
