import { LenientType } from '../../codec/Codec.js'
import type { Cause, Causes } from '../../decode/causes.js'
import { part, tagOf, typesOf } from '../../decode/codecParts.js'
import { fieldAt, looksNamed } from '../../decode/errorPath.js'
import { oneLine, redact } from '../../decode/redact.js'
import { isRecord } from '../../decode/unknown.js'
import { didYouMean, is, similarName, unknownName } from '../../options/index.js'
import type { InvalidRequest } from '../Failure.js'

/**
 * Returns the reasons why a caller's parameters cannot be sent. Even without checks, they must be an object without inherited
 * or non-enumerable fields, because the check would read such fields and the request would omit them. With `check`, names are
 * checked as well: with a misspelled `request_id`, a payment would be made twice, and a misspelled filter would return
 * everything. `shapes` caches data read from codecs for other calls of the endpoint.
 */
export const invalidParams = (
  codec: unknown,
  params: unknown,
  check: boolean,
  shapes: CodecShapes = new Map(),
): Causes | undefined => {
  if (params === undefined) return undefined
  if (!is.isObject(params)) {
    const actual = isRecord(params)
      ? 'an object without fields, such as a Map or a Date'
      : redact(params)
    return [{ path: '', expected: 'an object with a field for each parameter', actual }]
  }
  const objects = namedObjects(codec, params, shapes)
  const path = inheritedField(objects)
  if (path !== undefined) {
    return [
      { path, expected: 'a field of the object itself', actual: 'inherited, or not enumerable' },
    ]
  }
  const [first, ...more] = check ? objects.flatMap(unknownFields) : []
  return first && [first, ...more]
}

/** Creates the failure of a call that is not sent. */
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
    message: `${endpoint}: ${oneLine(field) || 'the parameters'} should be ${expected}, but is ${actual}; nothing was sent`,
  }
}

export const invalidField = (
  endpoint: string,
  { field: path, expected, actual }: Pick<InvalidRequest, 'field' | 'expected' | 'actual'>,
): InvalidRequest => invalidRequest(endpoint, [{ path, expected, actual }])

// names of fields

interface NamedObject {
  readonly path: string
  readonly value: Readonly<Record<string, unknown>>
  /** The codecs of its fields, by name. */
  readonly fields: ReadonlyMap<string, ReadonlyArray<unknown>>
  /** `closed`: no other names exist. `open`: there may be others. `free`: the caller chooses the names. */
  readonly names: 'closed' | 'open' | 'free'
}

/**
 * Returns the path of the first field that the codec names but that the value only inherits, from a class or a prototype. A
 * codec reads such a field, but copies and JSON do not have it.
 */
const inheritedField = (objects: ReadonlyArray<NamedObject>): string | undefined => {
  for (const { path, value, fields } of objects) {
    for (const name of fields.keys()) {
      const isOwn = Object.prototype.propertyIsEnumerable.call(value, name)
      if (!isOwn && value[name] !== undefined) return fieldAt(path, name)
    }
  }
  return undefined
}

/** Returns a cause for each field that the codec does not name, or that looks like a misspelled name. */
const unknownFields = ({ path, value, fields, names }: NamedObject): ReadonlyArray<Cause> => {
  if (names === 'free') return []
  const unknown = Object.keys(value).filter(
    (name) => !fields.has(name) && value[name] !== undefined,
  )
  if (unknown.length === 0) return []
  const fieldNames = [...fields.keys()]
  return unknown.flatMap((name) => {
    const meant = similarName(name, fieldNames)
    if (names === 'open' && meant === undefined) return []
    const expected =
      names === 'open' ? `omitted${didYouMean(meant)}` : unknownName('parameter', name, fieldNames)
    const at = fieldAt(path, looksNamed(name) ? name : '*')
    return { path: at, expected, actual: redact(value[name]) }
  })
}

// objects and their codecs

/** The fields and items that all codecs of one value describe together. */
interface DescribedShape extends Pick<NamedObject, 'fields' | 'names'> {
  readonly items: ReadonlyArray<unknown>
  /** Codecs that leave nested values and their names to the service. */
  readonly lenient: ReadonlyArray<LenientType<unknown>>
}

/** Shapes by codec, because the items of a list share their codecs. */
export type CodecShapes = Map<unknown, DescribedShape>

/** Finds the objects among the parameters, from the top down. */
const namedObjects = (
  root: unknown,
  params: object,
  described: CodecShapes,
): ReadonlyArray<NamedObject> => {
  const found: Array<NamedObject> = []

  const visit = (codecs: ReadonlyArray<unknown>, value: object, path: string, isFree: boolean) => {
    const [codec, ...others] = codecs
    const existing = others.length === 0 ? described.get(codec) : undefined
    const of = existing ?? describe(codecs)
    if (others.length === 0) described.set(codec, of)
    const { fields, names, items, lenient } = of
    if (Array.isArray(value)) {
      for (const [i, item] of items.length === 0 ? [] : value.entries()) {
        if (isObject(item)) visit(items, item, `${path}[${i}]`, isFree)
      }
      return
    }
    if (!isRecord(value)) return
    found.push({ path, value, fields, names: isFree ? 'free' : names })
    const isFreeBelow = isFree || lenient.some(({ asksForLess }) => asksForLess(value))
    for (const [name, inner] of fields) {
      const one = value[name]
      if (isObject(one)) visit(inner, one, fieldAt(path, name), isFreeBelow)
    }
  }

  visit([root], params, '', false)
  return found
}

const isObject = (u: unknown): u is object => typeof u === 'object' && u !== null

const describe = (codecs: ReadonlyArray<unknown>): DescribedShape => {
  const all = codecs.flatMap(withInner)
  const fields = new Map<string, ReadonlyArray<unknown>>()
  for (const codec of all) {
    for (const [name, field] of Object.entries(Object(part(codec, 'props')))) {
      fields.set(name, [...(fields.get(name) ?? []), field])
    }
  }
  const isFree = all.some((codec) => anyNames.has(tagOf(codec)))
  const isClosed = all.some((codec) => part(codec, 'closed') === true)
  return {
    fields,
    names: isFree ? 'free' : isClosed ? 'closed' : 'open',
    items: all.filter((codec) => lists.has(tagOf(codec))).map((codec) => part(codec, 'type')),
    lenient: all.filter((codec) => codec instanceof LenientType),
  }
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

/** Returns a codec together with the codecs inside it that describe the same value. */
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
  undefined, // a custom codec
])
