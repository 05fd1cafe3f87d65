import { didYouMean, is, similarName } from '../options/index.js'
import { domainKeys, part, tagOf, typesOf, unwrapped } from './codecParts.js'
import { redact } from './redact.js'
import { fieldsOf } from './unknown.js'

/**
 * Describes a value that `codec` refused. Works like `redact`, but shows a word if an enumeration was expected, and a date,
 * time or amount if one was expected. Other strings may be secrets, names or card numbers.
 */
export const showValue = (u: unknown, codec: unknown): string => {
  if (typeof u !== 'string') return isDecimal(u) && isAnyAmount(codec) ? DECIMAL : redact(u)
  const codecs = alternatives(codec)
  const names = codecs.flatMap((one) => domainKeys(one) ?? [])
  if (names.length > 0) return showWord(u, names)
  if (codecs.some(isAmount) && AMOUNT.test(u)) return `'${u}'`
  return codecs.some(isDated) && DATE.test(u) ? showDate(u) : redact(u)
}

const isAnyAmount = (codec: unknown): boolean => alternatives(codec).some(isAmount)

/** Returns true for an object from a decimal library. The `toFixed` method of a number would round. */
const isDecimal = (u: unknown): boolean => {
  const { toFixed } = fieldsOf(u)
  return (
    typeof u === 'object' && typeof toFixed === 'function' && toFixed !== Number.prototype.toFixed
  )
}

const DECIMAL = 'a decimal object (pass amount.toFixed())'

/** Shows a word if it may have been meant as one of these names. */
export const showWord = (text: string, names: ReadonlyArray<string>): string => {
  const meant = similarName(text, names)
  const digits = Math.max(...names.map(countDigits))
  const longest = Math.max(...names.map(({ length }) => length))
  const isWord =
    text.length <= longest + LONGER &&
    countDigits(text) <= digits &&
    /^(?:[A-Z][A-Z0-9_.-]*|[A-Z]?[a-z][a-z0-9_.-]*)$/.test(text) // not in mixed case, which keys have
  return meant !== undefined || isWord ? `'${text}'${didYouMean(meant)}` : redact(text)
}

const countDigits = (text: string): number => text.replace(/\D/g, '').length

/** Maximum difference in length between a shown word and the longest known word, in characters. Keys are usually longer. */
const LONGER = 5

/** Matches dates and times in common notations, which are too short to be a card number. */
const DATE =
  /^(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4})(?:[T ]\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/

/** Matches decimal strings with fewer digits than a card number. */
const AMOUNT = /^-?\d{1,11}(?:\.\d{1,20})?$/

const showDate = (text: string): string => {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? []
  const isInCalendar = day === undefined || is.isoDay.accepts(day)
  const why = isInCalendar ? '' : ', a day that does not exist'
  return `'${text}'${why}`
}

// codecs

/** Marks a codec for dates or times, so that errors show wrong values. */
export const dated = <C extends object>(codec: C): C => Object.assign(codec, { [mark]: true })

/** Marks a codec for amounts, so that errors show wrong values. */
export const amountShown = <C extends object>(codec: C): C =>
  Object.assign(codec, { [amountMark]: true })

const mark: unique symbol = Symbol('payments-rx: dated')

const amountMark: unique symbol = Symbol('payments-rx: amount')

const isDated = (codec: unknown): boolean => part(codec, mark) === true

const isAmount = (codec: unknown): boolean => part(codec, amountMark) === true

/**
 * Returns the members of a union at any depth, or else the codec itself. For a list codec that also accepts a single item,
 * returns those of the item's codec.
 */
const alternatives = (codec: unknown): ReadonlyArray<unknown> => {
  if (isDated(codec)) return [codec]
  const seen = unwrapped(codec)
  if (tagOf(seen) === 'RepeatedType') return alternatives(part(seen, 'type'))
  return tagOf(seen) === 'UnionType' ? typesOf(seen).flatMap(alternatives) : [seen]
}
