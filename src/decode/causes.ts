import type * as t from 'io-ts'
import { hasOwn, names, part, tagOf, tagValues, typesOf, unwrapped } from './codecParts.js'
import { LESS_DEEP, TOO_DEEP } from './decodeSafely.js'
import { errorPath, fieldAt, isMember } from './errorPath.js'
import { redact } from './redact.js'
import { showValue, showWord } from './showValue.js'

/** The reason why a value was refused: its path, the expected type, and the actual type without content. */
export interface Cause {
  /** A path such as `items[3].amount`. Empty for the value itself; `*` replaces a key from the data. */
  readonly path: string
  /** The expected type or values. */
  readonly expected: string
  /** The actual type and size, never the content of a string. A mistyped word or date in a parameter is shown. */
  readonly actual: string
}

/** One or more causes. */
export type Causes = readonly [Cause, ...ReadonlyArray<Cause>]

/** The cause for a codec without a name in its error, and for a value that throws when read. */
const UNKNOWN: Cause = { path: '', expected: 'a valid value', actual: 'unknown' }

/**
 * Returns one cause per path. The most likely branch of a union comes first: the one that matched deepest, has the right tag, and
 * names most of the present fields. Never throws.
 */
export const causes = (errors: t.Errors): Causes => causesWith(redacted)(errors)

/** Works like `causes`, but for parameters: shows a mistyped enumeration value or date. */
export const parameterCauses = (errors: t.Errors): Causes => causesWith(shown)(errors)

/** How refused values are described. */
interface Describe {
  readonly value: (u: unknown, codec: unknown) => string
  readonly tag: (u: unknown, values: ReadonlyArray<unknown>) => string
}

const redacted: Describe = { value: redact, tag: redact }

const shown: Describe = {
  value: showValue,
  tag: (u, values) => (typeof u === 'string' ? showWord(u, values.map(String)) : redact(u)),
}

const causesWith =
  (describe: Describe) =>
  (errors: t.Errors): Causes => {
    try {
      const [one = UNKNOWN, ...more] = merged(likeliestFirst(errors).map(cause(describe)))
      return [one, ...more]
    } catch {
      return [UNKNOWN]
    }
  }

const cause =
  (describe: Describe) =>
  (error: t.ValidationError): Cause => {
    const path = errorPath(error.context)
    const actual = isMissing(error.context)
      ? 'missing'
      : describe.value(error.value, wholeCodec(error.context))
    if (error.message === TOO_DEEP) return { path, expected: LESS_DEEP, actual }
    const refusing = error.context.at(-1)?.type // the codec that was tried last
    const codec = unwrapped(refusing)
    const tag = part(codec, 'tag')
    if (tagOf(codec) === 'UnionType' && typeof tag === 'string' && actual === 'object') {
      const values = typesOf(codec).flatMap((member) => tagValues(member, tag) ?? [])
      return {
        path: fieldAt(path, tag),
        expected: listed(values.map((value) => JSON.stringify(value))),
        actual: hasOwn(error.value, tag) ? describe.tag(part(error.value, tag), values) : 'missing',
      }
    }
    return { path, expected: expected(refusing), actual }
  }

/** Returns the codec of a value. The codec that was tried last may be only one member of a union. */
const wholeCodec = (context: t.Context): unknown => {
  const at = context.findLastIndex((entry, i) => {
    const parent = context[i - 1]
    return parent === undefined || !isMember(parent, entry)
  })
  return context[at]?.type
}

/** Returns true for a missing field, even if its codec is a union or intersection, whose members add context entries. */
const isMissing = (context: t.Context): boolean => {
  const holder = context.findLastIndex(({ actual }) => actual !== undefined)
  const field = context[holder + 1]
  return holder !== -1 && field !== undefined && !hasOwn(context[holder]?.actual, field.key)
}

/** Joins the alternatives that were refused at the same path. */
const merged = (all: ReadonlyArray<Cause>): ReadonlyArray<Cause> => {
  const byPlace = new Map<string, Cause>()
  for (const one of all) {
    const place = `${one.path}\n${one.actual}`
    const before = byPlace.get(place)
    const alternatives = before?.expected.split(' | ') ?? []
    if (before === undefined) byPlace.set(place, one)
    else if (!alternatives.includes(one.expected)) {
      byPlace.set(place, { ...one, expected: `${before.expected} | ${one.expected}` })
    }
  }
  return [...byPlace.values()]
}

// the expected type as text

/** Describes the values that a codec accepts. Lists them if the codec has a list, otherwise names the codec. */
const expected = (codec: unknown): string => {
  const keys = part(codec, 'keys')
  if (tagOf(codec) === 'KeyofType' && typeof keys === 'object' && keys !== null) {
    return listed(Object.keys(keys).map((key) => JSON.stringify(key)))
  }
  // a refined object may be refused although it is an object, so it is described by its name
  if (isObject(codec) && tagOf(codec) !== 'RefinementType') return 'object'
  if (tagOf(codec) === 'AnyArrayType') return 'array'
  const name = part(codec, 'name')
  return typeof name === 'string' ? shortened(name) : 'another type'
}

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

const shortened = (name: string): string => (name.length > 80 ? `${name.slice(0, 79)}…` : name)

const listed = (values: ReadonlyArray<string>): string =>
  values.length > 12
    ? `${values.slice(0, 12).join(' | ')} | ${values.length - 12} more`
    : values.join(' | ')

// combinators

/** Prefixes the paths of causes with the path `at`. */
export const causesUnder = (at: string, [one, ...more]: Causes): Causes => {
  const under = ({ path, ...rest }: Cause): Cause => ({
    path: path === '' || path.startsWith('[') ? at + path : fieldAt(at, path),
    ...rest,
  })
  return [under(one), ...more.map(under)]
}

/** Prints the causes as lines: `items[3].amount should be number, but is text of 5 characters`. */
export const explain = (errors: t.Errors): string =>
  causes(errors)
    .map(
      ({ path, expected, actual }) =>
        `${path || 'the value'} should be ${expected}, but is ${actual}`,
    )
    .join('\n')

// the most likely branch of a union

type ValidationErrors = ReadonlyArray<t.ValidationError>

/** The entries of a context below one depth that lead further into the value. */
interface Below {
  readonly count: number
  readonly first: t.ContextEntry | undefined
}

type BelowOf = (error: t.ValidationError) => ReadonlyArray<Below>

interface Branch {
  readonly errors: ValidationErrors
  /** Compared number by number. The branch with the higher rank is more likely. */
  readonly rank: ReadonlyArray<number>
}

/** Returns the errors in io-ts's order, except that the most likely branch of each union comes first. */
const likeliestFirst = (errors: ValidationErrors): ValidationErrors => {
  const cache = new Map<t.ValidationError, ReadonlyArray<Below>>()
  const belowOf: BelowOf = (error) => {
    const below = cache.get(error) ?? belowEach(error)
    cache.set(error, below)
    return below
  }
  return sorted(errors, 1, belowOf)
}

const sorted = (errors: ValidationErrors, depth: number, belowOf: BelowOf): ValidationErrors => {
  const context = errors[0]?.context
  if (errors.length < 2 || depth > 200 || context === undefined) return errors
  const groups = byKey(errors, depth).map((group) => sorted(group, depth + 1, belowOf))
  if (tagOf(unwrapped(context[depth - 1]?.type)) !== 'UnionType') return groups.flat()
  return groups
    .map((group): Branch => ({ errors: group, rank: rank(group, depth, belowOf) }))
    .sort(byRank)
    .flatMap((branch) => branch.errors)
}

const byKey = (errors: ValidationErrors, depth: number): ReadonlyArray<ValidationErrors> => {
  const groups = new Map<string | undefined, Array<t.ValidationError>>()
  for (const error of errors) {
    const key = error.context[depth]?.key
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [error])
    else group.push(error)
  }
  return [...groups.values()]
}

const byRank = (a: Branch, b: Branch): number => {
  const differing = a.rank.findIndex((n, i) => n !== b.rank[i])
  return differing < 0 ? 0 : (b.rank[differing] ?? 0) - (a.rank[differing] ?? 0)
}

const tagKinds = new Set<unknown>(['LiteralType', 'KeyofType'])

/** Ranks the branch of a union at `depth`: by the depth that it reached, then by its tag, then by the fields that it names. */
const rank = (errors: ValidationErrors, depth: number, belowOf: BelowOf): ReadonlyArray<number> => {
  const entry = errors[0]?.context[depth]
  const failedFields = new Set<string | undefined>()
  let [least, most, failedTags] = [1, 0, 0]
  for (const error of errors) {
    const { count = 0, first } = belowOf(error)[depth] ?? {}
    failedFields.add(first?.key)
    least = Math.min(least, count)
    most = Math.max(most, count)
    if (count === 1 && tagKinds.has(tagOf(unwrapped(first?.type)))) failedTags++
  }
  const actual: unknown = entry?.actual
  const named =
    typeof actual === 'object' && actual !== null
      ? Object.keys(actual).filter((key) => names(entry?.type, key)).length
      : 0
  return [least, -failedTags, named - failedFields.size, -failedFields.size, most]
}

/** Computes the entries below each depth in one pass, because a context may be thousands of levels deep. */
const belowEach = ({ context }: t.ValidationError): ReadonlyArray<Below> => {
  const upwards: Array<Below> = []
  let below: Below = { count: 0, first: undefined }
  for (let i = context.length - 1; i >= 0; i--) {
    upwards.push(below)
    const [parent, entry] = [context[i - 1], context[i]]
    if (parent !== undefined && entry !== undefined && !isMember(parent, entry)) {
      below = { count: below.count + 1, first: entry }
    }
  }
  return upwards.reverse()
}
