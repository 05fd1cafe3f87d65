/** What decoders do to values, beside testing them: each as io-ts does it, step by step. */
import type * as t from 'io-ts'
import { isRecord } from './unknown.js'

/** The answer of a reader to a value that its codec refuses. */
export const refused: unique symbol = Symbol('refused')

/** Gives a value up to io-ts itself: it is so rare that no decoder is made for it. */
export const unusual = (): never => {
  throw refused
}

/** Not a spread: this is what io-ts does with a key named `__proto__`. */
export const copy = <A extends object>(a: A): A => Object.assign({}, a)

/** Asks a codec of which nothing is known. */
export const ask = (codec: t.Mixed, u: unknown): unknown => {
  const answer = codec.validate(u, [{ key: '', type: codec, actual: u }])
  return answer._tag === 'Left' ? refused : answer.right
}

/** `a` without the keys that `props` does not have; `a` itself if it has no such key. */
export const strip = (
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

/** What the members of an intersection made of `base`, as one value. */
export const merge = (base: unknown, made: ReadonlyArray<unknown>): unknown => {
  if (made.every((one) => one === base)) return base
  if (!made.some(isRecord)) return made[made.length - 1]
  const merged: Record<string, unknown> = {}
  for (const one of made) {
    // Of texts and lists, too, io-ts takes the keys.
    const from = Object(one) as Record<string, unknown>
    for (const key in from) {
      if (!Object.hasOwn(merged, key) || !isRecord(base) || from[key] !== base[key]) {
        merged[key] = from[key]
      }
    }
  }
  return merged
}
