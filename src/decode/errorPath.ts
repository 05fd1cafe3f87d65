import type * as t from 'io-ts'
import { names, part, tagOf, unwrapped } from './codecParts.js'
import { domainKeys } from './propsOf.js'

const chooses = new Set<unknown>(['UnionType', 'IntersectionType'])

/** Whether an entry only says which member of a union or an intersection was tried. */
export const isMember = (parent: t.ContextEntry, entry: t.ContextEntry): boolean =>
  chooses.has(tagOf(unwrapped(parent.type))) || Object.is(parent.actual, entry.actual)

const isPlain = (key: string): boolean => /^[A-Za-z_$][\w$]{0,63}$/.test(key)

/** Keys that a custom codec reports are shown if they read like a name and hold no long number. */
export const looksNamed = (key: string): boolean =>
  isPlain(key) && key.replace(/\D/g, '').length < 5

/**
 * Keys named by a codec are shown. Those of a record come with the data, and data may be secret: a
 * star stands for them.
 */
const isKnown = (parent: unknown, key: string): boolean => {
  const codec = unwrapped(parent)
  if (tagOf(codec) !== 'DictionaryType') return names(codec, key) || looksNamed(key)
  return domainKeys(part(codec, 'domain'))?.includes(key) ?? false
}

/** The path of a field of what stands at a path. */
export const fieldAt = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`)

const step = (parent: t.ContextEntry, entry: t.ContextEntry): string => {
  if (isMember(parent, entry)) return ''
  if (Array.isArray(parent.actual) && /^\d{1,10}$/.test(entry.key)) return `[${entry.key}]`
  if (!isKnown(parent.type, entry.key)) return '.*'
  return isPlain(entry.key) ? `.${entry.key}` : `[${JSON.stringify(entry.key)}]`
}

/** Where in the value: `items[3].amount`, empty for the value itself, a star for a record's key. */
export const errorPath = (context: t.Context): string => {
  let path = ''
  context.forEach((entry, i) => {
    const parent = context[i - 1]
    if (parent !== undefined) path += step(parent, entry)
  })
  return path.replace(/^\./, '')
}
