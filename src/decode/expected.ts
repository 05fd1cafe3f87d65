import { part, tagOf, typesOf, unwrapped } from './codecParts.js'
import { tagValues } from './tagValues.js'

const short = (name: string): string => (name.length > 80 ? `${name.slice(0, 79)}…` : name)

const someOf = (values: ReadonlyArray<string>): string =>
  values.length > 12
    ? `${values.slice(0, 12).join(' | ')} | ${values.length - 12} more`
    : values.join(' | ')

const objects = new Set<unknown>([
  'InterfaceType',
  'StrictType',
  'PartialType',
  'DictionaryType',
  'AnyDictionaryType',
])

const isObject = (codec: unknown): boolean => {
  const seen = unwrapped(codec)
  return (
    objects.has(tagOf(seen)) ||
    (tagOf(seen) === 'IntersectionType' && typesOf(seen).every(isObject))
  )
}

/** What a codec wants, in few words: its values if it has some, else its name. */
export const expected = (codec: unknown): string => {
  const keys = part(codec, 'keys')
  if (tagOf(codec) === 'KeyofType' && typeof keys === 'object' && keys !== null) {
    return someOf(Object.keys(keys).map((key) => JSON.stringify(key)))
  }
  // a refined object may be refused although it is one, so it goes by its name
  if (isObject(codec) && tagOf(codec) !== 'RefinementType') return 'object'
  if (tagOf(codec) === 'AnyArrayType') return 'array'
  const name = part(codec, 'name')
  return typeof name === 'string' ? short(name) : 'another type'
}

/** The values that tell the members of a tagged union apart. */
export const expectedTags = (members: ReadonlyArray<unknown>, tag: string): string =>
  someOf(
    members.flatMap((member) => tagValues(member, tag) ?? []).map((value) => JSON.stringify(value)),
  )
