import type * as t from 'io-ts'
import { domainKeys, names, part, tagOf, unwrapped } from './codecParts.js'

/** Returns a path such as `items[3].amount`. It is empty for the value itself, and has a star for a key of a record. */
export const errorPath = (context: t.Context): string => {
  let path = ''
  context.forEach((entry, i) => {
    const parent = context[i - 1]
    if (parent !== undefined) path += step(parent, entry)
  })
  return path.replace(/^\./, '')
}

/** Returns the path of a field, given the path of its object. */
export const fieldAt = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

const step = (parent: t.ContextEntry, entry: t.ContextEntry): string => {
  if (isMember(parent, entry)) return ''
  if (Array.isArray(parent.actual) && /^\d{1,10}$/.test(entry.key)) return `[${entry.key}]`
  if (!isKnown(parent.type, entry.key)) return '.*'
  return isPlain(entry.key) ? `.${entry.key}` : `[${JSON.stringify(entry.key)}]`
}

const choices = new Set<unknown>(['UnionType', 'IntersectionType'])

/** Recognizes an entry that only says which member of a union or intersection was tried. */
export const isMember = (parent: t.ContextEntry, entry: t.ContextEntry): boolean =>
  choices.has(tagOf(unwrapped(parent.type))) || Object.is(parent.actual, entry.actual)

/** Returns true for a key that the codec names. The keys of a record come from the data, so they may be secret. */
const isKnown = (parent: unknown, key: string): boolean => {
  const codec = unwrapped(parent)
  if (tagOf(codec) !== 'DictionaryType') return names(codec, key) || looksNamed(key)
  return domainKeys(part(codec, 'domain'))?.includes(key) ?? false
}

/** Accepts keys that look like a name and contain no long number. */
export const looksNamed = (key: string): boolean =>
  isPlain(key) && key.replace(/\D/g, '').length < 5

const isPlain = (key: string): boolean => /^[A-Za-z_$][\w$]{0,63}$/.test(key)
