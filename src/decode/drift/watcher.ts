import * as t from 'io-ts'
import { isCodec, part, tagOf, typesOf } from '../codecParts.js'
import { compile } from '../compile.js'
import { fieldAt } from '../errorPath.js'
import { OpenType } from '../open.js'
import { domainKeys } from '../propsOf.js'
import { isRecord } from '../unknown.js'
import { type Counting, exampleOf, sizeOf } from './Fact.js'
import { type Field, type Watcher, watchObject } from './watchObject.js'

const isMissing = new Set<unknown>(['NullType', 'UndefinedType', 'VoidType'])

interface Named extends Omit<Field, 'watch'> {
  readonly codec: unknown
}

/** The fields that an object's codec names; undefined if it takes others by a record or unasked. */
const namedBy = (codec: unknown): ReadonlyArray<Named> | undefined => {
  switch (tagOf(codec)) {
    case 'ExactType':
    case 'ReadonlyType':
    case 'RefinementType':
      return namedBy(part(codec, 'type'))
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
      const all = typesOf(codec).map(namedBy)
      return all.some((fields) => fields === undefined)
        ? undefined
        : together(all.flatMap((f) => f ?? []))
    }
    default:
      return undefined
  }
}

/** Fields of members of an intersection: an object that several of them describe has the fields of them all. */
const together = (fields: ReadonlyArray<Named>): ReadonlyArray<Named> => {
  const all: Array<Named> = []
  for (const field of fields) {
    const { key, codec } = field
    const i = all.findIndex((one) => one.key === key && [one.codec, codec].some(namedBy))
    const same = all[i]
    if (same !== undefined && isCodec(same.codec) && isCodec(codec)) {
      const optional = same.optional && field.optional
      all[i] = { key, optional, codec: t.intersection([same.codec, codec]) }
    } else all.push(field)
  }
  return all
}

/** Which member of a union a value is of. Null and what is missing are no shape of their own. */
const watchUnion = (
  codec: unknown,
  path: string,
  visit: Visit,
  counting: Counting,
): Watcher | undefined => {
  const members = typesOf(codec)
    .filter(isCodec)
    .filter((member) => !isMissing.has(tagOf(member)))
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

type Visit = (codec: unknown, path: string) => Watcher | undefined

const watchOpen =
  (codec: OpenType<string>, path: string, counting: Counting): Watcher =>
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

/** Looks at values of a codec for what it does not name; undefined where there is nothing to see. */
export const watcherOf = (root: t.Mixed, counting: Counting): Watcher | undefined => {
  const recursive = new Map<unknown, Watcher>()

  const visitRecursive = (codec: unknown, path: string): Watcher => {
    let inner: Watcher | undefined
    const watch: Watcher = (u) => inner?.(u)
    recursive.set(codec, watch) // further in, it counts under the path where it was first met
    inner = visit(part(codec, 'type'), path)
    return watch
  }

  const object = (fields: ReadonlyArray<Named>, path: string, closed = true): Watcher => {
    const watched = fields.map((field) => ({
      ...field,
      watch: visit(field.codec, fieldAt(path, field.key)),
    }))
    return watchObject(path, watched, counting, closed)
  }

  const visit: Visit = (codec, path) => {
    if (codec instanceof OpenType) return watchOpen(codec, path, counting)
    const fields = namedBy(codec)
    if (fields !== undefined) return object(fields, path)
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
      case 'IntersectionType':
        return object(
          together(typesOf(codec).flatMap((member) => namedBy(member) ?? [])),
          path,
          false,
        )
      case 'UnionType':
        return watchUnion(codec, path, visit, counting)
      default:
        return undefined
    }
  }
  return visit(root, '')
}
