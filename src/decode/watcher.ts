import * as t from 'io-ts'
import { domainKeys, isCodec, part, tagOf, typesOf } from './codecParts.js'
import { compile } from './compile.js'
import { fieldAt, looksNamed } from './errorPath.js'
import { OpenType } from './open.js'
import { redact } from './redact.js'
import { isRecord } from './unknown.js'

/**
 * The way in which a value differs from its codec. `optional field`: a field that was missing before is present. `second shape`:
 * a different union member than the first time. `other paging`: a list does not continue as its endpoint declares.
 */
export type DriftKind = keyof typeof driftKinds

/** All kinds of drift, as the keys of a codec. */
export const driftKinds = {
  'unknown field': null,
  'unknown value': null,
  'optional field': null,
  'second shape': null,
  'other paging': null,
}

export interface Counter {
  count: number
}

/** Returns the counter for a fact. It is created on the first call. */
type CounterFor = (path: string, kind: DriftKind, example: string) => Counter

/** Compares a value with its codec, and counts fields and values that the codec does not name. */
type Watcher = (u: unknown) => void

interface WatchedField {
  readonly key: string
  readonly optional: boolean
  readonly codec: unknown
}

type Visit = (codec: unknown, path: string) => Watcher | undefined

// examples

/** Returns the type and size of a value, without its content. */
const sizeOf = (u: unknown): string =>
  typeof u === 'number' || typeof u === 'boolean' ? typeof u : redact(u)

/** Shows an unknown value of an enumeration if it looks like the known values; otherwise shows only its size. */
export const exampleOf = (names: ReadonlyArray<string>, value: string): string =>
  looksLike(names, value) ? value : redact(value)

const looksLike = (names: ReadonlyArray<string>, value: string): boolean =>
  value.length <= 40 &&
  value.replace(/\D/g, '').length < 5 &&
  (names.every((one) => /^[A-Z0-9_]+$/.test(one))
    ? /^[A-Z][A-Z0-9_]*$/.test(value)
    : /^[A-Za-z][\w.-]*$/.test(value))

// constructors

/** Creates a watcher for the values of a codec; undefined if there is nothing to watch. */
export const watcherOf = (root: t.Mixed, counting: CounterFor): Watcher | undefined => {
  const recursive = new Map<unknown, Watcher>()

  const visitRecursive = (codec: unknown, path: string): Watcher => {
    let inner: Watcher | undefined
    const watch: Watcher = (u) => inner?.(u)
    recursive.set(codec, watch) // deeper levels count under the path of the first level
    inner = visit(part(codec, 'type'), path)
    return watch
  }

  const visit: Visit = (codec, path) => {
    if (codec instanceof OpenType) return watchOpen(codec, path, counting)
    const fields = fieldsOf(codec)
    if (fields !== undefined) return watchObject(path, fields, visit, counting, true)
    switch (tagOf(codec)) {
      case 'RecursiveType':
        return recursive.get(codec) ?? visitRecursive(codec, path)
      case 'ExactType':
      case 'ReadonlyType':
      case 'RefinementType':
        return visit(part(codec, 'type'), path)
      case 'ArrayType':
      case 'ReadonlyArrayType': {
        const item = visit(part(codec, 'type'), `${path}[]`)
        return item && watchList(item)
      }
      case 'DictionaryType': {
        const value = visit(part(codec, 'codomain'), fieldAt(path, '*'))
        return value && watchRecord(value)
      }
      case 'TupleType': {
        const items = typesOf(codec).map((item, i) => visit(item, `${path}[${i}]`))
        return (u) => {
          if (Array.isArray(u)) for (const [i, watch] of items.entries()) watch?.(u[i])
        }
      }
      case 'IntersectionType': {
        const names = joined(typesOf(codec).flatMap((member) => fieldsOf(member) ?? []))
        return watchObject(path, names, visit, counting, false)
      }
      case 'UnionType':
        return watchUnion(codec, path, visit, counting)
      default:
        return undefined
    }
  }
  return visit(root, '')
}

const watchOpen =
  (codec: OpenType<string>, path: string, counting: CounterFor): Watcher =>
  (u) => {
    if (typeof u !== 'string' || codec.known.includes(u)) return
    counting(path, 'unknown value', exampleOf(codec.known, u)).count++
  }

const watchList =
  (item: Watcher): Watcher =>
  (u) => {
    if (Array.isArray(u)) for (const one of u) item(one)
  }

const watchRecord =
  (value: Watcher): Watcher =>
  (u) => {
    if (isRecord(u)) for (const key of Object.keys(u)) value(u[key])
  }

const absences = new Set<unknown>(['NullType', 'UndefinedType', 'VoidType'])

/** Finds the member of a union to which a value belongs. Null and undefined do not count as a shape. */
const watchUnion = (
  codec: unknown,
  path: string,
  visit: Visit,
  counting: CounterFor,
): Watcher | undefined => {
  const members = typesOf(codec)
    .filter(isCodec)
    .filter((member) => !absences.has(tagOf(member)))
  if (members.every((member) => tagOf(member) === 'LiteralType')) return undefined
  const [only, ...others] = members
  if (only !== undefined && others.length === 0) return visit(only, path)
  const choices = members.map((member) => ({ decode: compile(member), watch: visit(member, path) }))
  let first: object | undefined
  return (u) => {
    if (u === null || u === undefined) return
    const choice = choices.find(({ decode }) => decode(u)._tag === 'Right')
    if (choice === undefined) return
    first ??= choice
    if (choice !== first) counting(path, 'second shape', sizeOf(u)).count++
    choice.watch?.(u)
  }
}

// objects

/** Returns the fields that the codec of an object names; undefined if it accepts others. */
const fieldsOf = (codec: unknown): ReadonlyArray<WatchedField> | undefined => {
  switch (tagOf(codec)) {
    case 'ExactType':
    case 'ReadonlyType':
    case 'RefinementType':
      return fieldsOf(part(codec, 'type'))
    case 'InterfaceType':
    case 'PartialType': {
      const optional = tagOf(codec) === 'PartialType'
      return Object.entries(Object(part(codec, 'props'))).map(([key, of]) => ({
        key,
        optional,
        codec: of,
      }))
    }
    case 'DictionaryType':
      return domainKeys(part(codec, 'domain'))?.map((key) => ({
        key,
        optional: false,
        codec: part(codec, 'codomain'),
      }))
    case 'IntersectionType': {
      const all = typesOf(codec).map(fieldsOf)
      return all.every((fields) => fields !== undefined) ? joined(all.flat()) : undefined
    }
    default:
      return undefined
  }
}

/** Joins the fields of the members of an intersection. */
const joined = (fields: ReadonlyArray<WatchedField>): ReadonlyArray<WatchedField> => {
  const all: Array<WatchedField> = []
  for (const field of fields) {
    const { key, codec } = field
    const i = all.findIndex((one) => one.key === key && [one.codec, codec].some(fieldsOf))
    const same = all[i]
    if (same !== undefined && isCodec(same.codec) && isCodec(codec)) {
      const optional = same.optional && field.optional
      all[i] = { key, optional, codec: t.intersection([same.codec, codec]) }
    } else all.push(field)
  }
  return all
}

/** The work to do for an object that has these keys in this order. */
interface ObjectLayout {
  readonly keys: ReadonlyArray<string>
  readonly counters: ReadonlyArray<Counter>
  readonly within: ReadonlyArray<{ readonly key: string; readonly watch: Watcher }>
}

/**
 * Watches objects. The objects of a service mostly have the same keys in the same order, so the last layout is kept. An object
 * that is not `closed` may have fields that are named elsewhere.
 */
const watchObject = (
  path: string,
  fields: ReadonlyArray<WatchedField>,
  visit: Visit,
  counting: CounterFor,
  closed: boolean,
): Watcher => {
  const named = new Map(fields.map((field) => [field.key, field]))
  const optional = fields.filter((field) => field.optional)
  const missed = new Set<string>()
  const watched = fields.map(({ key, codec }) => ({ key, watch: visit(codec, fieldAt(path, key)) }))

  const layoutOf = (keys: ReadonlyArray<string>, u: Record<string, unknown>): ObjectLayout => {
    const present = new Set(keys)
    const counters = keys.flatMap((key) => {
      const field = named.get(key)
      if (field === undefined) {
        return closed
          ? [counting(fieldAt(path, looksNamed(key) ? key : '*'), 'unknown field', sizeOf(u[key]))]
          : []
      }
      return field.optional && missed.has(key)
        ? [counting(fieldAt(path, key), 'optional field', sizeOf(u[key]))]
        : []
    })
    for (const { key } of optional) if (!present.has(key)) missed.add(key)
    const within = watched.flatMap(({ key, watch }) =>
      watch !== undefined && present.has(key) ? [{ key, watch }] : [],
    )
    return { keys, counters, within }
  }

  let last: ObjectLayout | undefined
  return (u) => {
    if (!isRecord(u)) return
    if (last === undefined || !hasKeys(u, last.keys)) last = layoutOf(Object.keys(u), u)
    for (const counter of last.counters) counter.count++
    for (const { key, watch } of last.within) watch(u[key])
  }
}

/** Compares an object's keys and their order without creating a list of them. */
const hasKeys = (u: object, keys: ReadonlyArray<string>): boolean => {
  let i = 0
  for (const key in u) {
    if (keys[i] !== key) return false
    i++
  }
  return i === keys.length
}
