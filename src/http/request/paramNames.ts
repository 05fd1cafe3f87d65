/** Compares the names of a caller's fields with those that the codec of the parameters has. */
import { LenientType } from '../../codec/Rule.js'
import type { Cause } from '../../decode/causes.js'
import { part, tagOf, typesOf } from '../../decode/codecParts.js'
import { fieldAt, looksNamed } from '../../decode/errorPath.js'
import { redact } from '../../decode/redact.js'
import { isRecord } from '../../decode/unknown.js'
import { didYouMean, similarName, unknownName } from '../../options/index.js'

// model

/** An object among the parameters. */
interface NamedObject {
  readonly path: string
  readonly value: Readonly<Record<string, unknown>>
  /** The codecs of its fields, by name. */
  readonly fields: ReadonlyMap<string, ReadonlyArray<unknown>>
  /** `closed`: there are no other names. `open`: there may be others. `free`: names are the caller's own. */
  readonly names: 'closed' | 'open' | 'free'
}

// functions

/**
 * Returns the path of the first field that the codec names and the value only inherits: an accessor of a class, or
 * a property of a prototype. A codec reads such a field; copies and JSON do not have it.
 */
export const inheritedField = (codec: unknown, params: object): string | undefined => {
  for (const { path, value, fields } of namedObjects([codec], params)) {
    for (const name of fields.keys()) {
      const isOwn = Object.prototype.propertyIsEnumerable.call(value, name)
      if (!isOwn && value[name] !== undefined) return fieldAt(path, name)
    }
  }
  return undefined
}

/** Returns a cause for each field that the codec does not name, or that looks like a misspelling of one that it names. */
export const unknownFields = (codec: unknown, params: object): ReadonlyArray<Cause> =>
  namedObjects([codec], params).flatMap(({ path, value, fields, names }) => {
    if (names === 'free') return []
    const known = [...fields.keys()]
    return Object.keys(value).flatMap((name) => {
      const meant = similarName(name, known)
      const isAllowed = fields.has(name) || (names === 'open' && meant === undefined)
      if (isAllowed || value[name] === undefined) return []
      return {
        path: fieldAt(path, looksNamed(name) ? name : '*'),
        expected:
          names === 'open' ? `left out${didYouMean(meant)}` : unknownName('parameter', name, known),
        actual: redact(value[name]),
      }
    })
  })

// objects and their codecs

const namedObjects = (
  codecs: ReadonlyArray<unknown>,
  value: unknown,
  path = '',
  isFree = false,
): ReadonlyArray<NamedObject> => {
  if (typeof value !== 'object' || value === null) return []
  const all = codecs.flatMap(withInner)
  if (Array.isArray(value)) {
    const items = all.filter((codec) => lists.has(tagOf(codec))).map((codec) => part(codec, 'type'))
    return items.length === 0
      ? []
      : value.flatMap((item, i) => namedObjects(items, item, `${path}[${i}]`, isFree))
  }
  if (!isRecord(value)) return []
  const fields = new Map<string, ReadonlyArray<unknown>>()
  for (const codec of all) {
    for (const [name, field] of Object.entries(Object(part(codec, 'props')))) {
      fields.set(name, [...(fields.get(name) ?? []), field])
    }
  }
  const isClosed = all.some((codec) => part(codec, 'closed') === true)
  const names = isFree || all.some(namesNothing) ? 'free' : isClosed ? 'closed' : 'open'
  // their names are judged by the service, like all else of them
  const isUnchecked = all.some((codec) => codec instanceof LenientType && codec.asksForLess(value))
  return [
    { path, value, fields, names },
    ...[...fields].flatMap(([name, codecs]) =>
      namedObjects(codecs, value[name], fieldAt(path, name), isFree || isUnchecked),
    ),
  ]
}

const lists = new Set<unknown>(['ArrayType', 'ReadonlyArrayType'])

const wrappers = new Set<unknown>([
  'ExactType',
  'ReadonlyType',
  'RefinementType',
  'RecursiveType',
  'RuledType',
  'LenientType',
])

const choices = new Set<unknown>(['IntersectionType', 'UnionType'])

/** Returns a codec with those that describe the same value as it does. */
const withInner = (codec: unknown): ReadonlyArray<unknown> => {
  const tag = tagOf(codec)
  if (wrappers.has(tag)) return [codec, ...withInner(part(codec, 'type'))]
  return choices.has(tag) ? [codec, ...typesOf(codec).flatMap(withInner)] : [codec]
}

const anyNames = new Set<unknown>([
  'AnyDictionaryType',
  'AnyType',
  'DictionaryType',
  'ObjectType',
  'UnknownType',
  undefined, // a codec of the caller's own
])

const namesNothing = (codec: unknown): boolean => anyNames.has(tagOf(codec))
