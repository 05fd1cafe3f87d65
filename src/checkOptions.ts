/** Holds the options of a client against what can work, before there is one. */
import { type ClientOptions, InvalidOption } from './ClientOptions.js'
import { fitsHeader, HEADER } from './http/secrets.js'

/** Throws an `InvalidOption`, which does not repeat what came. */
export const checkCredentials = ({ credentials, partner }: ClientOptions): void => {
  const source = credentials !== undefined && 'token' in credentials ? credentials : undefined
  const keys = credentials !== undefined && 'clientId' in credentials ? credentials : undefined
  if (credentials !== undefined && source === undefined && keys === undefined) {
    throw new InvalidOption('credentials', 'clientId and apiKey, or token')
  }
  if (source !== undefined && typeof source.token !== 'function') {
    throw new InvalidOption('credentials.token', 'a function that gives a token')
  }
  const texts = {
    ...(keys && {
      'credentials.clientId': keys.clientId,
      'credentials.apiKey': keys.apiKey,
      'credentials.loginAs': keys.loginAs ?? 'none',
    }),
    ...(partner && {
      'partner.clientId': partner.clientId,
      'partner.clientSecret': partner.clientSecret,
    }),
  }
  for (const [name, value] of Object.entries(texts)) {
    if (typeof value !== 'string' || !fitsHeader(value)) {
      throw new InvalidOption(name, HEADER)
    }
  }
  if (partner?.clientId.includes(':') === true) {
    throw new InvalidOption('partner.clientId', 'a text without a colon')
  }
}

const isCount = (least: number) => (u: unknown) =>
  typeof u === 'number' && Number.isInteger(u) && u >= least
const isBound = (u: unknown) => u === Number.POSITIVE_INFINITY || isCount(1)(u)
const BOUND = 'a whole number of at least 1, or Infinity'
const isFraction = (u: unknown) => typeof u === 'number' && u > 0 && u <= 1
const isSpan = (u: unknown) => typeof u === 'number' && u >= 0 && u < Number.POSITIVE_INFINITY

/** Throws an `InvalidOption` for a number or word that makes no client. */
export const checkValues = (options: ClientOptions): void => {
  const { limits, share, guard, retry, lists, renewEarly, maxBytes, numbers, drift } = options
  const check = (
    name: string,
    u: unknown,
    fits: (u: unknown) => boolean,
    expected: string,
  ): void => {
    if (u !== undefined && !fits(u)) throw new InvalidOption(name, expected)
  }
  for (const [name, limit] of Object.entries(limits ?? {})) {
    check(`limits.${name}`, limit, isBound, BOUND)
  }
  check('share', share, isFraction, 'above 0 and at most 1')
  if (guard !== 'learned' && guard !== 'safe') {
    check('guard', guard, isSpan, "'learned', 'safe' or milliseconds")
  }
  check('retry.throttled', retry?.throttled, isCount(0), 'a whole number')
  check('retry.faults', retry?.faults, isCount(0), 'a whole number')
  const isBudget = (u: unknown) => u === Number.POSITIVE_INFINITY || isSpan(u)
  check('retry.budget', retry?.budget, isBudget, 'a number of at least 0, or Infinity')
  check('lists.maxPages', lists?.maxPages, isCount(1), 'a whole number of at least 1')
  check('lists.maxEmptyPages', lists?.maxEmptyPages, isCount(0), 'a whole number')
  check('maxBytes', maxBytes, isBound, BOUND)
  check('renewEarly', renewEarly, isSpan, 'milliseconds')
  check('numbers', numbers, (u) => u === 'exact' || u === 'fast', "'exact' or 'fast'")
  check('drift', drift, (u) => typeof u === 'boolean', 'true or false')
}

/** Throws an `InvalidOption` for codes that are no texts. */
export const checkCodes = ({ codes }: ClientOptions): void => {
  for (const [name, some] of Object.entries(codes ?? {})) {
    const fits = Array.isArray(some) && some.every((code) => typeof code === 'string')
    if (some !== undefined && !fits) throw new InvalidOption(`codes.${name}`, 'a list of texts')
  }
}
