import { part, tagOf, typesOf } from './codecParts.js'

/** The keys that `exact` keeps, by io-ts's rules; undefined where it has none. */
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

/** The keys of a record over an enumeration, by io-ts's rules. */
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
    case 'UnionType': {
      const all = typesOf(domain).map(domainKeys)
      return all.some((keys) => keys === undefined) ? undefined : all.flatMap((keys) => keys ?? [])
    }
    default:
      return undefined
  }
}
