import type * as t from 'io-ts'
import type { Decoder } from '../decodeSafely.js'
import { isRecord } from '../unknown.js'
import { newFunction } from './newFunction.js'
import { keepsInput, type Plan } from './Plan.js'
import { locals, program } from './Program.js'
import { readOf } from './readers.js'
import { testOf } from './tests.js'

type Maker = (
  runtime: object,
  constants: ReadonlyArray<unknown>,
  slow: Decoder<unknown>,
) => Decoder<unknown>

/**
 * Creates plain objects like those of `E.right`, but without an object literal. Once many objects from one literal have
 * survived a garbage collection, V8 allocates them as old, and old objects keep the rows of a finished page until the next full
 * collection.
 */
const RIGHT = `function Right(right) { this._tag = "Right"; this.right = right }
    Right.prototype = base;`

/**
 * Generates a decoder as straight-line code. It returns accepted values, and passes everything that is refused, unusual or
 * thrown to `slow`. Throws if the runtime forbids code generation.
 */
export const generate = (plan: Plan, slow: Decoder<unknown>): Decoder<unknown> => {
  const to = program()
  const scope = locals()
  const taken = keepsInput(plan)
    ? `if (${testOf(plan, 'x', scope, to)}) return new Right(x);`
    : `const a = ${readOf(plan, to)}(x); if (a !== refused) return new Right(a);`
  const names = to.constants.map((_, i) => `c${i}`)
  // The engine treats constants in the code's own scope as constants, but does not do that for parameters.
  const maker = newFunction<Maker>(
    ['runtime', 'constants', 'slow'],
    `const { ${Object.keys(runtime).join(', ')} } = runtime;
    const [${names.join(', ')}] = constants;
    ${RIGHT}
    ${to.functions.join('\n')}
    return function decode(x) {
      ${scope.declared()}
      try { ${taken} } catch {}
      return slow(x)
    }`,
  )
  return maker(runtime, to.constants, slow)
}

// functions that the code calls, each of which repeats a step of io-ts

/** Returned by a reader for a value that it refuses. */
const refused: unique symbol = Symbol('refused')

/** Throws, to leave the whole value to io-ts. Used for values that are too rare for generated code. */
const unusual = (): never => {
  throw refused
}

/** Copies an object. Not written as a spread, because this is how io-ts treats a key named `__proto__`. */
const copy = <A extends object>(a: A): A => Object.assign({}, a)

/** Calls a codec that has no plan. */
const ask = (codec: t.Mixed, u: unknown): unknown => {
  const answer = codec.validate(u, [{ key: '', type: codec, actual: u }])
  return answer._tag === 'Left' ? refused : answer.right
}

/** Returns `a` without the keys that are not in `props`, or `a` itself if there are none. */
const strip = (
  a: Record<string, unknown>,
  names: ReadonlyArray<string>,
  props: object,
): unknown => {
  let all = true
  for (let i = 0; all && i < names.length; i++) all = Object.hasOwn(props, names[i] ?? '')
  if (all) return a
  const kept: Record<string, unknown> = {}
  for (const name of names) if (Object.hasOwn(props, name)) kept[name] = a[name]
  return kept
}

/** Merges the results of an intersection's members for `base`. */
const merge = (base: unknown, values: ReadonlyArray<unknown>): unknown => {
  if (values.every((one) => one === base)) return base
  if (!values.some(isRecord)) return values[values.length - 1]
  const merged: Record<string, unknown> = {}
  for (const one of values) {
    // io-ts also uses the keys of strings and lists.
    const from = Object(one) as Record<string, unknown>
    for (const key in from) {
      if (!Object.hasOwn(merged, key) || !isRecord(base) || from[key] !== base[key]) {
        merged[key] = from[key]
      }
    }
  }
  return merged
}

const runtime = {
  ask,
  copy,
  merge,
  refused,
  strip,
  unusual,
  isArray: Array.isArray,
  keysOf: Object.keys,
  namesOf: Object.getOwnPropertyNames,
  protoOf: Object.getPrototypeOf,
  hasOwn: Object.hasOwn,
  base: Object.prototype,
}
