/**
 * ```ts
 * const checked: <A extends object>(options: A, table: Rules<A> & Table, means?: Means) => A
 * ```
 *
 * Options that are held against their table, before anything is done with them.
 */
import { defined } from '../fp.js'
import { InvalidOption } from './InvalidOption.js'
import type { Rule, Rules, Table } from './Rule.js'
import { isObject } from './rules.js'

// model

export interface Means {
  /** Whose options they are, in an error: before the name. */
  readonly of?: string
  /** Whether something is let pass under a name that no option has. */
  readonly passes?: (name: string, value: unknown) => boolean
}

// constructors

/**
 * The options without those that are `undefined`, which were left out: they hide no default. Throws an
 * `InvalidOption` for a name that is not in the table, and for a value that its rule does not fit.
 */
export const checked = <A extends object>(
  options: A,
  table: Rules<NoInfer<A>> & Table,
  means: Means = {},
): A => {
  if (!isObject(options)) {
    throw invalid('options', options, {
      expected: `an object of ${Object.keys(table).join(', ')}`,
      ...defined({ of: means.of }),
    })
  }
  return fitting('', options, table, means)
}

/** What is told of an option that is wrong: what kind of value it is, and no value. */
export const invalid = (
  option: string,
  u: unknown,
  { expected, type, of }: Pick<Rule, 'expected' | 'type'> & Pick<Means, 'of'>,
): InvalidOption => {
  const kind = kindOf(u, type)
  return new InvalidOption(
    option,
    kind === undefined ? expected : `${expected}, and is ${kind}`,
    of,
  )
}

// combinators

const fitting = <A extends object>(path: string, options: A, table: Table, means: Means): A => {
  const pathOf = (name: string): string => (path === '' ? name : `${path}.${name}`)
  const kept = { ...options }
  for (const [name, value] of Object.entries(options)) {
    if (Object.hasOwn(table, name) || means.passes?.(name, value) === true) continue
    const known = Object.keys(table).join(', ')
    const expected = `left out: there is no such option, only ${known}`
    throw new InvalidOption(pathOf(name), expected, means.of)
  }
  for (const [name, rule] of Object.entries(table)) {
    const value = fittingOne(pathOf(name), Reflect.get(options, name), rule, means)
    if (value === undefined) Reflect.deleteProperty(kept, name)
    else Reflect.set(kept, name, value)
  }
  return kept
}

const fittingOne = (path: string, u: unknown, rule: Rule, { of = '' }: Means): unknown => {
  if (u === undefined && rule.isNeeded !== true) return undefined
  if (!rule.fits(u)) throw invalid(path, u, { ...rule, of })
  const { inside, each } = rule
  if (inside !== undefined && isObject(u)) return fitting(path, u, inside, { of })
  if (each === undefined) return u
  if (Array.isArray(u)) {
    const one = { ...each, isNeeded: true } as const
    return Array.from(u, (item: unknown, n) => fittingOne(`${path}[${n}]`, item, one, { of }))
  }
  return isObject(u) ? fitting(path, u, tableOf(u, each), { of }) : u
}

const tableOf = (u: object, rule: Rule): Table =>
  Object.fromEntries(Object.keys(u).map((name) => [name, rule]))

/** Nothing where the words of the rule say it already. */
const kindOf = (u: unknown, type: Rule['type']): string | undefined => {
  if (u === undefined) return 'missing'
  if (u === null) return 'null'
  if (u === '') return 'empty'
  if (typeof u === 'number') return Number.isFinite(u) ? finiteKind(u, type) : String(u)
  if (Array.isArray(u)) return 'a list'
  if (typeof u === type) return undefined
  if (typeof u === 'string') return 'a text'
  if (typeof u !== 'object') return `a ${typeof u}`
  return isObject(u) ? 'an object' : 'an object without fields'
}

const finiteKind = (n: number, type: Rule['type']): string | undefined => {
  if (type === 'string' || n > 0) return type === 'number' ? undefined : 'a number'
  return n < 0 ? 'below 0' : '0'
}
