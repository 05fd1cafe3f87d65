import { LenientType } from '../../codec/Codec.js'
import type { Cause, Causes } from '../../decode/causes.js'
import { part, tagOf, typesOf } from '../../decode/codecParts.js'
import { fieldAt, looksNamed } from '../../decode/errorPath.js'
import { oneLine, redact } from '../../decode/redact.js'
import { isRecord } from '../../decode/unknown.js'
import { didYouMean, is, similarName, unknownName } from '../../options/index.js'
import type { InvalidRequest } from '../Failure.js'

/**
 * Returns why a caller's parameters cannot be sent. Even unchecked they must be an object without fields that are
 * inherited or not enumerable, which the check would read and the request would leave out. With `check`, names are
 * checked, too: a misspelt `request_id` would pay twice, a misspelt filter return everything.
 */
export const invalidParams = (
  codec: unknown,
  params: unknown,
  check: boolean,
): Causes | undefined => {
  if (params === undefined) return undefined
  if (!is.isObject(params)) {
    const actual = isRecord(params) ? 'an object of another kind' : redact(params)
    return [{ path: '', expected: 'an object with a field for each', actual }]
  }
  const path = inheritedField(codec, params)
  if (path !== undefined) {
    return [{ path, expected: 'a field of the object itself', actual: 'of its class, or hidden' }]
  }
  const [first, ...more] = check ? unknownFields(codec, params) : []
  return first && [first, ...more]
}

/** Makes the failure of a call that is not sent. */
export const invalidRequest = (endpoint: string, causes: Causes): InvalidRequest => {
  const [{ path: field, expected, actual }] = causes
  return {
    field,
    expected,
    actual,
    causes,
    _tag: 'InvalidRequest',
    endpoint,
    attempts: 0,
    // the name of a field may come from the caller's data
    message: `${endpoint}: ${oneLine(field) || 'the parameters'} should be ${expected}, and is ${actual}; nothing was sent`,
  }
}

/** Makes the failure of a call with one invalid field. */
export const invalidField = (
  endpoint: string,
  { field: path, expected, actual }: Pick<InvalidRequest, 'field' | 'expected' | 'actual'>,
): InvalidRequest => invalidRequest(endpoint, [{ path, expected, actual }])

// names of fields

/** An object among the parameters. */
interface NamedObject {
  readonly path: string
  readonly value: Readonly<Record<string, unknown>>
  /** The codecs of its fields, by name. */
  readonly fields: ReadonlyMap<string, ReadonlyArray<unknown>>
  /** `closed`: there are no other names. `open`: there may be others. `free`: names are the caller's own. */
  readonly names: 'closed' | 'open' | 'free'
}

/**
 * Returns the path of the first field that the codec names and the value only inherits: an accessor of a class, or
 * a property of a prototype. A codec reads such a field; copies and JSON do not have it.
 */
const inheritedField = (codec: unknown, params: object): string | undefined => {
  for (const { path, value, fields } of namedObjects([codec], params)) {
    for (const name of fields.keys()) {
      const isOwn = Object.prototype.propertyIsEnumerable.call(value, name)
      if (!isOwn && value[name] !== undefined) return fieldAt(path, name)
    }
  }
  return undefined
}

/** Returns a cause for each field that the codec does not name, or that looks like a misspelling of one that it names. */
const unknownFields = (codec: unknown, params: object): ReadonlyArray<Cause> =>
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
