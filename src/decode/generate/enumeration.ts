import type { Program } from './Program.js'

/**
 * Up to here a chain of comparisons is faster than a `Set`, since texts fresh from a parser have no
 * hash yet.
 */
const chain = 24

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
  if (values.length <= 6) return equals(x, values)
  const groups = byLength(values)
  if ([...groups.values()].some((group) => group.length > chain)) {
    return `typeof ${x} === "string" && ${to.constant(new Set(values))}.has(${x})`
  }
  const cases = [...groups].map(
    ([length, group]) => `case ${length}: return ${equals('x', group)};`,
  )
  const choose = `(x) => { switch (x.length) { ${cases.join(' ')} default: return false } }`
  return `typeof ${x} === "string" && ${to.helper(choose)}(${x})`
}

/** `literal(0)` makes 0 of -0, which is left to io-ts. */
const other = (value: unknown, x: string, to: Program): string => {
  if (typeof value === 'boolean' || value === null) return `${x} === ${value}`
  const name = to.constant(value)
  return value === 0
    ? `(${x} === ${name} && (Object.is(${x}, ${name}) || unusual()))`
    : `${x} === ${name}`
}

/** Whether `x` is one of the values. Texts go into the source as JSON, others not at all. */
export const isOneOf = (values: ReadonlyArray<unknown>, x: string, to: Program): string => {
  const all = [...new Set(values)]
  const strings = all.filter((value) => typeof value === 'string')
  const others = all.filter((value) => typeof value !== 'string')
  const tests = [
    ...(strings.length > 0 ? [texts(strings, x, to)] : []),
    ...others.map((value) => other(value, x, to)),
  ]
  return tests.length === 0 ? 'false' : `(${tests.join(' || ')})`
}
