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
 * Makes plain objects like those of `E.right`, but not by a literal: V8 puts what a literal makes among the old
 * once many of them were alive at a collection. Old ones keep the rows of a page that is gone until the
 * next full collection, which the next pages then bring about.
 */
const RIGHT = `function Right(right) { this._tag = "Right"; this.right = right }
    Right.prototype = base;`

/**
 * Generates a decoder as straight-line code. It answers what is accepted; all that is refused, unusual or thrown,
 * it hands to `slow`. Throws where the platform forbids code generation.
 */
export const generate = (plan: Plan, slow: Decoder<unknown>): Decoder<unknown> => {
  const to = program()
  const scope = locals()
  const taken = keepsInput(plan)
    ? `if (${testOf(plan, 'x', scope, to)}) return new Right(x);`
    : `const a = ${readOf(plan, to)}(x); if (a !== refused) return new Right(a);`
  const names = to.constants.map((_, i) => `c${i}`)
  // Constants of the code's own scope are constants to the engine, which parameters are not.
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

// functions that the code calls, each of which does to a value what io-ts does, step by step

/** The answer of a reader to a value that its codec refuses. */
const refused: unique symbol = Symbol('refused')

/** Leaves the whole value to io-ts: it is so rare that no code is generated for it. */
const unusual = (): never => {
  throw refused
}

/** Not a spread: this is what io-ts does with a key named `__proto__`. */
const copy = <A extends object>(a: A): A => Object.assign({}, a)

/** Calls a codec that has no plan. */
const ask = (codec: t.Mixed, u: unknown): unknown => {
  const answer = codec.validate(u, [{ key: '', type: codec, actual: u }])
  return answer._tag === 'Left' ? refused : answer.right
}

/** Returns `a` without the keys that `props` does not have; `a` itself if it has no such key. */
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

/** Joins the values that the members of an intersection made of `base`. */
const merge = (base: unknown, values: ReadonlyArray<unknown>): unknown => {
  if (values.every((one) => one === base)) return base
  if (!values.some(isRecord)) return values[values.length - 1]
  const merged: Record<string, unknown> = {}
  for (const one of values) {
    // io-ts also takes the keys of texts and lists.
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
