import type * as t from 'io-ts'
import { arrange } from './arrange.js'
import { hasOwn, part, tagOf, typesOf, unwrapped } from './codecParts.js'
import { LESS_DEEP, TOO_DEEP } from './decodeSafely.js'
import { errorPath, fieldAt } from './errorPath.js'
import { expected, expectedTags } from './expected.js'
import { redact } from './redact.js'

/** Why a value was refused: where, what was wanted and, without its content, what was there. */
export interface Cause {
  /** Where, as in `items[3].amount`; empty for the value itself, `*` for a key that came with the data. */
  readonly path: string
  /** What it should have been. */
  readonly expected: string
  /** A type and a size, never the content of a text. */
  readonly actual: string
}

/** One at least. */
export type Causes = readonly [Cause, ...ReadonlyArray<Cause>]

/** Where io-ts names no error, or a trap in the value keeps it from being read. */
const UNKNOWN: Cause = { path: '', expected: 'another value', actual: 'unknown' }

/** Below a field that is not there, nothing is: the members of its union or intersection are looked past. */
const isMissing = (context: t.Context): boolean => {
  const holder = context.findLastIndex(({ actual }) => actual !== undefined)
  const field = context[holder + 1]
  return holder !== -1 && field !== undefined && !hasOwn(context[holder]?.actual, field.key)
}

const cause = (error: t.ValidationError): Cause => {
  const path = errorPath(error.context)
  const actual = isMissing(error.context) ? 'missing' : redact(error.value)
  if (error.message === TOO_DEEP) return { path, expected: LESS_DEEP, actual }
  const refusing = error.context.at(-1)?.type // the last one asked
  const codec = unwrapped(refusing)
  const tag = part(codec, 'tag')
  if (tagOf(codec) === 'UnionType' && typeof tag === 'string' && actual === 'object') {
    return {
      path: fieldAt(path, tag),
      expected: expectedTags(typesOf(codec), tag),
      actual: hasOwn(error.value, tag) ? redact(part(error.value, tag)) : 'missing',
    }
  }
  return { path, expected: expected(refusing), actual }
}

/** Alternatives refused at the same place are one cause. */
const merged = (all: ReadonlyArray<Cause>): ReadonlyArray<Cause> => {
  const byPlace = new Map<string, Cause>()
  for (const one of all) {
    const place = `${one.path}\n${one.actual}`
    const before = byPlace.get(place)
    const wanted = before?.expected.split(' | ') ?? []
    if (before === undefined) byPlace.set(place, one)
    else if (!wanted.includes(one.expected)) {
      byPlace.set(place, { ...one, expected: `${before.expected} | ${one.expected}` })
    }
  }
  return [...byPlace.values()]
}

/**
 * One cause per place. Of a union, the likeliest branch comes first: the one that got deepest, whose
 * tag fits and that names most of what is there. Never throws.
 */
export const causes = (errors: t.Errors): Causes => {
  try {
    const [one = UNKNOWN, ...more] = merged(arrange(errors).map(cause))
    return [one, ...more]
  } catch {
    return [UNKNOWN]
  }
}

/** The causes of what stands at a path, from where that path begins. */
export const causesUnder = (at: string, [one, ...more]: Causes): Causes => {
  const under = (cause: Cause): Cause => ({ ...cause, path: joined(at, cause.path) })
  return [under(one), ...more.map(under)]
}

const joined = (at: string, path: string): string =>
  path === '' || path.startsWith('[') ? at + path : fieldAt(at, path)

/** The causes as lines: `items[3].amount should be number, and is text of 5 characters`. */
export const explain = (errors: t.Errors): string =>
  causes(errors)
    .map(
      ({ path, expected, actual }) =>
        `${path || 'the value'} should be ${expected}, and is ${actual}`,
    )
    .join('\n')
