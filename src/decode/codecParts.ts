/**
 * Reads the runtime shape of io-ts codecs (`_tag`, `props`, `types`, ...) as what it is: properties
 * of objects that anybody may have made, so unknown until looked at.
 */
import type * as t from 'io-ts'

/** What is under `key`, when nothing is known of the holder's type. */
export const part = (holder: unknown, key: PropertyKey): unknown =>
  (typeof holder === 'object' && holder !== null) || typeof holder === 'function'
    ? Reflect.get(holder, key)
    : undefined

/** io-ts's name for the kind of a codec. Custom codecs have none. */
export const tagOf = (codec: unknown): unknown => part(codec, '_tag')

export const hasOwn = (holder: unknown, key: PropertyKey): boolean =>
  typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key)

const wrappers = new Set<unknown>(['ExactType', 'ReadonlyType', 'RefinementType', 'RecursiveType'])

/** The codec inside those that leave no trace of their own in the context of an error. */
export const unwrapped = (codec: unknown): unknown => {
  let seen = codec
  for (let depth = 0; depth < 100 && wrappers.has(tagOf(seen)); depth++) seen = part(seen, 'type')
  return seen
}

/** The members of a union or an intersection, the items of a tuple. */
export const typesOf = (codec: unknown): ReadonlyArray<unknown> => {
  const types = part(codec, 'types')
  return Array.isArray(types) ? types : []
}

/** Whether a codec of an object names this field, itself or through a member. */
export const names = (codec: unknown, key: string): boolean => {
  const seen = unwrapped(codec)
  return hasOwn(part(seen, 'props'), key) || typesOf(seen).some((member) => names(member, key))
}

/** Whether something can validate, which is all that is needed of a codec here. */
export const isCodec = (u: unknown): u is t.Mixed =>
  typeof u === 'object' && u !== null && typeof part(u, 'validate') === 'function'
