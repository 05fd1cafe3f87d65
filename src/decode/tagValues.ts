import { hasOwn, part, tagOf, typesOf } from './codecParts.js'

type Values = ReadonlyArray<unknown>

/**
 * The values of `tag` that lead to a member of a tagged union, as io-ts computes them where that is
 * simple, else undefined.
 */
export const tagValues = (codec: unknown, tag: string, depth = 0): Values | undefined => {
  if (depth > 100) return undefined
  const below = (member: unknown): Values | undefined => tagValues(member, tag, depth + 1)
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
      const found = typesOf(codec).map(below)
      const tagged = found.filter((values) => values !== undefined)
      return tagged.length === 1 ? tagged[0] : undefined
    }
    case 'UnionType': {
      const found = typesOf(codec).map(below)
      return found.some((values) => values === undefined)
        ? undefined
        : found.flatMap((values) => values ?? [])
    }
    default:
      return undefined
  }
}
