/**
 * Reads the runtime shape of io-ts codecs (`_tag`, `props`, `types`, ...). These objects may come from anywhere, so the types
 * of their properties are unknown until they are checked.
 */
import type * as t from 'io-ts'

// properties

/** Returns the property `key` of an object or function; undefined for any other value. */
export const part = (holder: unknown, key: PropertyKey): unknown =>
  (typeof holder === 'object' && holder !== null) || typeof holder === 'function'
    ? Reflect.get(holder, key)
    : undefined

/** Returns io-ts's name for the kind of a codec. Custom codecs have none. */
export const tagOf = (codec: unknown): unknown => part(codec, '_tag')

export const hasOwn = (holder: unknown, key: PropertyKey): boolean =>
  typeof holder === 'object' && holder !== null && Object.hasOwn(holder, key)

/** Returns the members of a union or intersection, or the items of a tuple. */
export const typesOf = (codec: unknown): ReadonlyArray<unknown> => {
  const types = part(codec, 'types')
  return Array.isArray(types) ? types : []
}

/** Accepts any object that can validate. */
export const isCodec = (u: unknown): u is t.Mixed =>
  typeof u === 'object' && u !== null && typeof part(u, 'validate') === 'function'

// codecs in codecs

const wrappers = new Set<unknown>(['ExactType', 'ReadonlyType', 'RefinementType', 'RecursiveType'])

/** Unwraps codecs that leave no entry of their own in the context of an error. */
export const unwrapped = (codec: unknown): unknown => {
  let seen = codec
  for (let depth = 0; depth < 100 && wrappers.has(tagOf(seen)); depth++) seen = part(seen, 'type')
  return seen
}

/** Returns true if the codec of an object names this field, either itself or in one of its members. */
export const names = (codec: unknown, key: string): boolean => {
  const seen = unwrapped(codec)
  return hasOwn(part(seen, 'props'), key) || typesOf(seen).some((member) => names(member, key))
}

/** Returns the props that `exact` keeps by io-ts's rules; undefined if there are none. */
export const exactProps = (codec: unknown): object | undefined => {
  switch (tagOf(codec)) {
    case 'RefinementType':
    case 'ReadonlyType':
      return exactProps(part(codec, 'type'))
    case 'InterfaceType':
    case 'StrictType':
    case 'PartialType': {
      const props = part(codec, 'props')
      return typeof props === 'object' && props !== null ? props : undefined
    }
    case 'IntersectionType':
      return Object.assign({}, ...typesOf(codec).map(exactProps))
    default:
      return undefined
  }
}

/** Returns the keys of a record over an enumeration, by io-ts's rules. */
export const domainKeys = (domain: unknown): ReadonlyArray<string> | undefined => {
  switch (tagOf(domain)) {
    case 'LiteralType': {
      const value = part(domain, 'value')
      return typeof value === 'string' ? [value] : undefined
    }
    case 'KeyofType': {
      const keys = part(domain, 'keys')
      return typeof keys === 'object' && keys !== null ? Object.keys(keys) : undefined
    }
    case 'UnionType':
      return together(typesOf(domain).map(domainKeys))
    default:
      return undefined
  }
}

/** Returns the `tag` values that lead to a member of a tagged union, as io-ts computes them; undefined if not simple. */
export const tagValues = (
  codec: unknown,
  tag: string,
  depth = 0,
): ReadonlyArray<unknown> | undefined => {
  if (depth > 100) return undefined
  const below = (member: unknown): ReadonlyArray<unknown> | undefined =>
    tagValues(member, tag, depth + 1)
  switch (tagOf(codec)) {
    case 'InterfaceType':
    case 'StrictType': {
      const props = part(codec, 'props')
      const prop = hasOwn(props, tag) ? part(props, tag) : undefined
      return tagOf(prop) === 'LiteralType' ? [part(prop, 'value')] : undefined
    }
    case 'ExactType':
    case 'RefinementType':
    case 'ReadonlyType':
    case 'RecursiveType':
      return below(part(codec, 'type'))
    case 'IntersectionType': {
      const [only, ...others] = typesOf(codec)
        .map(below)
        .filter((values) => values !== undefined)
      return others.length === 0 ? only : undefined
    }
    case 'UnionType':
      return together(typesOf(codec).map(below))
    default:
      return undefined
  }
}

/** Joins lists; returns undefined if one of them is undefined. */
const together = <A>(
  lists: ReadonlyArray<ReadonlyArray<A> | undefined>,
): ReadonlyArray<A> | undefined =>
  lists.every((list) => list !== undefined) ? lists.flat() : undefined
