import type { Program } from './Program.js'

/**
 * Up to here a chain of comparisons is faster than a `Set`, since texts fresh from a parser have no
 * hash yet.
 */
const CHAIN = 24

const equals = (x: string, values: ReadonlyArray<string>): string =>
  values.map((value) => `${x} === ${JSON.stringify(value)}`).join(' || ')

const byLength = (values: ReadonlyArray<string>): ReadonlyMap<number, ReadonlyArray<string>> => {
  const groups = new Map<number, ReadonlyArray<string>>()
  for (const value of values) {
    groups.set(value.length, [...(groups.get(value.length) ?? []), value])
  }
  return groups
}

const texts = (values: ReadonlyArray<string>, x: string, to: Program): string => {
  if (values.length <= 8) return equals(x, values)
  const groups = byLength(values)
  if ([...groups.values()].some((group) => group.length > CHAIN)) {
    return `typeof ${x} === "string" && ${to.constant(new Set(values))}.has(${x})`
  }
  const cases = [...groups].map(
    ([length, group]) => `case ${length}: return ${equals('x', group)};`,
  )
  const choose = `(x) => { switch (x.length) { ${cases.join(' ')} default: return false } }`
  return `typeof ${x} === "string" && ${to.helper(choose)}(${x})`
}

/** `literal(0)` makes 0 of -0, and `literal(-0)` the reverse: all but 0 of 0 is left to io-ts. */
const other = (value: unknown, x: string, to: Program): string => {
  if (typeof value === 'boolean' || value === null) return `${x} === ${value}`
  if (value === 0)
    return `(${x} === 0 && ((${Object.is(value, 0)} && Object.is(${x}, 0)) || unusual()))`
  return `${x} === ${to.constant(value)}`
}

/** Whether `x` is one of the values. Texts go into the source as JSON, others not at all. */
export const isOneOf = (values: ReadonlyArray<unknown>, x: string, to: Program): string => {
  const strings = [...new Set(values.filter((value) => typeof value === 'string'))]
  const others = values.filter((value) => typeof value !== 'string')
  const tests = [
    ...(strings.length > 0 ? [texts(strings, x, to)] : []),
    ...others.map((value) => other(value, x, to)),
  ]
  return tests.length === 0 ? 'false' : `(${tests.join(' || ')})`
}
