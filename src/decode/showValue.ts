import { didYouMean, is, similarName } from '../options/index.js'
import { domainKeys, part, tagOf, typesOf, unwrapped } from './codecParts.js'
import { redact } from './redact.js'

/**
 * Describes a value that `codec` refused, as `redact` does, except that a word is shown where an enumeration was
 * expected, a date or time where one was, and so an amount. Other texts may be secrets, names or card numbers.
 */
export const showValue = (u: unknown, codec: unknown): string => {
  if (typeof u !== 'string') return redact(u)
  const codecs = alternatives(codec)
  const names = codecs.flatMap((one) => domainKeys(one) ?? [])
  if (names.length > 0) return showWord(u, names)
  if (codecs.some(isAmount) && AMOUNT.test(u)) return `'${u}'`
  return codecs.some(isDated) && DATE.test(u) ? showDate(u) : redact(u)
}

/** Shows a word if it may have been meant as one of these. */
export const showWord = (text: string, names: ReadonlyArray<string>): string => {
  const meant = similarName(text, names)
  const digits = Math.max(...names.map(countDigits))
  const longest = Math.max(...names.map(({ length }) => length))
  const isWord =
    text.length <= longest + LONGER &&
    countDigits(text) <= digits &&
    /^(?:[A-Z][A-Z0-9_.-]*|[A-Z]?[a-z][a-z0-9_.-]*)$/.test(text) // not in mixed case, as keys are
  return meant !== undefined || isWord ? `'${text}'${didYouMean(meant)}` : redact(text)
}

const countDigits = (text: string): number => text.replace(/\D/g, '').length

/** Characters by which a shown word may be longer than the longest known one: a key is mostly longer. */
const LONGER = 5

/** Dates and times in the usual notations, which have no room for the number of a card. */
const DATE =
  /^(?:\d{4}([-/.])\d{1,2}\1\d{1,2}|\d{1,2}([-/.])\d{1,2}\2\d{4})(?:[T ]\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,6})?)?(?:Z|[+-]\d\d:?\d\d)?)?$/

/** Decimal text of less digits than the number of a card. */
const AMOUNT = /^-?\d{1,11}(?:\.\d{1,20})?$/

const showDate = (text: string): string => {
  const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? []
  const isInCalendar = day === undefined || is.isoDay.accepts(day)
  const why = isInCalendar ? '' : ', which is no day of the calendar'
  return `'${text}'${why}`
}

// codecs

/** Marks a codec of dates or times as one whose wrong values are shown. */
export const dated = <C extends object>(codec: C): C => Object.assign(codec, { [mark]: true })

/** Marks a codec of amounts as one whose wrong values are shown. */
export const amountShown = <C extends object>(codec: C): C =>
  Object.assign(codec, { [amountMark]: true })

const mark: unique symbol = Symbol('payments-rx: dated')

const amountMark: unique symbol = Symbol('payments-rx: amount')

const isDated = (codec: unknown): boolean => part(codec, mark) === true

const isAmount = (codec: unknown): boolean => part(codec, amountMark) === true

/** Returns the members of a union, at any depth, or the codec; of a codec of lists that takes one item alone, the item. */
const alternatives = (codec: unknown): ReadonlyArray<unknown> => {
  if (isDated(codec)) return [codec]
  const seen = unwrapped(codec)
  if (tagOf(seen) === 'RepeatedType') return alternatives(part(seen, 'type'))
  return tagOf(seen) === 'UnionType' ? typesOf(seen).flatMap(alternatives) : [seen]
}
