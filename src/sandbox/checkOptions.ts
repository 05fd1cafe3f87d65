/** Holds what a sandbox is told against what makes one. Whatever is wrong is a `RangeError` that names it. */
import { limits } from '../api/limits.js'
import { faultNames } from './faults.js'
import type { SandboxOptions } from './options.js'

type Fits = (u: unknown) => boolean
interface Rule {
  readonly fits: Fits
  readonly expected: string
}

const isWhole =
  (most: number): Fits =>
  (u) =>
    typeof u === 'number' && Number.isInteger(u) && u >= 0 && u <= most

const whole = (most: number, text: string): Rule => ({
  fits: isWhole(most),
  expected: `a whole number from 0 to ${text}`,
})

const span: Rule = {
  fits: (u) => typeof u === 'number' && u >= 0 && u < Number.POSITIVE_INFINITY,
  expected: 'milliseconds of at least 0',
}

const oneOf = <W extends string>(...words: ReadonlyArray<W>): Rule => ({
  fits: (u) => words.some((word) => word === u),
  expected: `one of ${words.map((word) => `'${word}'`).join(', ')}`,
})

const date: Rule = {
  fits: (u) => typeof u === 'string' && /^\d{4}-\d\d-\d\d$/.test(u),
  expected: 'a date as YYYY-MM-DD',
}

const bound: Rule = {
  fits: (u) =>
    u === Number.POSITIVE_INFINITY || (typeof u === 'number' && Number.isInteger(u) && u >= 1),
  expected: 'a whole number of at least 1, or Infinity',
}

const chance: Rule = {
  fits: (u) => typeof u === 'number' && u >= 0 && u <= 1,
  expected: 'a chance from 0 to 1',
}

const isObject: Fits = (u) => typeof u === 'object' && u !== null && !Array.isArray(u)
const isFunction: Fits = (u) => typeof u === 'function'
const work: Rule = { fits: isFunction, expected: 'a function' }

const rules: Readonly<Record<keyof SandboxOptions, Rule>> = {
  environment: oneOf(...Object.keys(limits)),
  limits: { fits: (u) => u === false || isObject(u), expected: 'an object of limits, or false' },
  charges: whole(2 ** 31, '2^31'),
  seed: { fits: (u) => typeof u === 'number' && Number.isFinite(u), expected: 'a number' },
  since: {
    fits: (u) => u instanceof Date && !Number.isNaN(u.getTime()),
    expected: 'a Date',
  },
  every: span,
  order: oneOf<NonNullable<SandboxOptions['order']>>('ascending', 'descending'),
  arrivals: span,
  settleAfter: span,
  apiVersion: date,
  credentials: { fits: Array.isArray, expected: 'a list of credentials' },
  partner: { fits: isObject, expected: 'an object of clientId and clientSecret' },
  tokenLife: span,
  latency: span,
  jitter: span,
  faults: {
    fits: (u) => isObject(u) || isFunction(u),
    expected: 'chances by the names of faults, or a function',
  },
  now: work,
  after: work,
  batches: whole(1_000_000, '1,000,000'),
  batchArrivals: span,
  funding: oneOf<NonNullable<SandboxOptions['funding']>>(
    'funded',
    'failed',
    'overdue',
    'reversed',
    'cancelled',
  ),
  fundAfter: span,
  bookEvery: span,
  approval: oneOf<NonNullable<SandboxOptions['approval']>>(
    'none',
    'approved',
    'recalled',
    'rejected',
    'blocked',
    'undecided',
  ),
  approveAfter: span,
  quoteLife: span,
  repeatedItems: oneOf<NonNullable<SandboxOptions['repeatedItems']>>('ignored', 'refused'),
  industryTree: oneOf<NonNullable<SandboxOptions['industryTree']>>(
    'by version',
    'codes',
    'categories',
  ),
  quotaTypes: { fits: Array.isArray, expected: 'a list of types of quota' },
}

const ofLimits = Object.fromEntries(Object.keys(limits.production).map((name) => [name, bound]))
const ofFaults = Object.fromEntries(faultNames.map((name) => [name, chance]))

type Options = Readonly<Record<string, unknown>>
type Rules = Readonly<Record<string, Rule>>

const checkValues = (where: string, options: Options, rules: Rules): void => {
  for (const [name, { fits, expected }] of Object.entries(rules)) {
    const u = options[name]
    if (u === undefined || fits(u)) continue
    const came = typeof u === 'number' ? ` is ${u}, and` : ''
    throw new RangeError(`${where}${name}${came} must be ${expected}`)
  }
}

const checkNames = (where: string, options: Options, rules: Rules): void => {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(rules, name)) continue
    throw new RangeError(`${where}${name} is none, only ${Object.keys(rules).join(', ')}`)
  }
}

/**
 * Throws a `RangeError` for what makes no sandbox, and for a limit or a fault that there is not. Other names
 * are let pass: a fake clock may do more than `now` and `after`.
 */
export const checkOptions = (options: SandboxOptions): void => {
  checkValues('', { ...options }, rules)
  const { limits: own, faults } = options
  if (own !== undefined && own !== false) {
    checkNames('limits.', { ...own }, ofLimits)
    checkValues('limits.', { ...own }, ofLimits)
  }
  if (faults !== undefined && typeof faults !== 'function') {
    checkNames('faults.', { ...faults }, ofFaults)
    checkValues('faults.', { ...faults }, ofFaults)
  }
}
