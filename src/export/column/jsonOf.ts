import { digitsOf } from '../../decode/index.js'
import { O } from '../../fp.js'
import type { Numbers } from './Numbers.js'
import { isObject } from './read.js'

/** What `JSON.stringify` writes as it is. */
type Raw = (text: string) => unknown

/** `rawJSON` is of ES2026: Node 22 has it, the types do not yet. */
const json: JSON & { readonly rawJSON?: Raw } = JSON

/** In place of a number, its digits as they came, where they are known. */
const exactly = (raw: Raw) =>
  function replace(this: unknown, key: string, value: unknown): unknown {
    if (typeof value !== 'number' || !isObject(this)) return value
    const digits = digitsOf(key)(this)
    return O.isSome(digits) ? raw(digits.value) : value
  }

/** An escape in JSON text: that of half a pair, which UTF-8 cannot say, or another one. */
const escapes = /\\(?:(ud[89a-f][\da-f]{2})|.)/g

/** In place of half a surrogate pair U+FFFD, as UTF-8 has it: some readers refuse JSON that has it as an escape. */
export const wellFormed = (text: string): string =>
  text.includes('\\ud')
    ? text.replaceAll(escapes, (all, half?: string) => (half === undefined ? all : '\ufffd'))
    : text

/** JSON text, with the digits of numbers as they came if they are to be `exact`. Null for what has none. */
export const jsonOf = (numbers: Numbers): ((value: unknown) => string) => {
  if (numbers === 'fast') return (value) => JSON.stringify(value) ?? 'null'
  const raw = json.rawJSON
  if (raw === undefined) throw new TypeError('this platform has no JSON.rawJSON')
  const replace = exactly(raw)
  return (value) => JSON.stringify(value, replace) ?? 'null'
}
