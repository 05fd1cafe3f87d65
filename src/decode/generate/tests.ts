/** Writes the tests for plans that keep their input. A test is an expression that is true for accepted values. */
import type { Basic, Plan } from './Plan.js'
import { type Locals, locals, type Program } from './Program.js'

export const isRecord = (x: string): string =>
  `typeof ${x} === "object" && ${x} !== null && !isArray(${x})`

/** Returns a test that leaves NaN to io-ts: NaN does not equal itself, so io-ts copies the object around it as if changed. */
const itself = (x: string): string => `(${x} === ${x} || unusual())`

const basic: Readonly<Record<Basic, (x: string) => string>> = {
  any: itself,
  never: () => 'false',
  null: (x) => `${x} === null`,
  object: (x) => `typeof ${x} === "object" && ${x} !== null`,
  list: (x) => `isArray(${x})`,
  record: isRecord,
  string: (x) => `typeof ${x} === "string"`,
  number: (x) => `typeof ${x} === "number" && ${itself(x)}`,
  bigint: (x) => `typeof ${x} === "bigint"`,
  boolean: (x) => `typeof ${x} === "boolean"`,
  function: (x) => `typeof ${x} === "function"`,
  undefined: (x) => `${x} === undefined`,
}

/** Maximum number of tests that are written inline. More tests become a separate function. */
const MAX_INLINED = 80

/** Returns true if a plan has more parts than can be written inline. Stops counting at that number. */
const isLarge = (plan: Plan): boolean => {
  let left = MAX_INLINED
  const count = (part: Plan): void => {
    if (left-- <= 0) return
    if (part._tag === 'Struct') for (const field of part.fields) count(field.plan)
    else if (part._tag === 'Tuple') part.items.forEach(count)
    else if (part._tag === 'Union' || part._tag === 'Intersection') part.members.forEach(count)
    else if (part._tag === 'Tagged') for (const member of part.members) count(member.plan)
    else if (part._tag === 'Refinement') count(part.plan)
  }
  count(plan)
  return left < 0
}

const asFunction = (plan: Plan, to: Program, write: (x: string, scope: Locals) => string): string =>
  to.define('test', plan, (name) => {
    const scope = locals()
    const body = write('x', scope)
    return `function ${name}(x) { ${scope.declared()} ${body} }`
  })

/** Writes an expression that is true for the values accepted by `plan`, which keeps its input. */
export const testOf = (plan: Plan, x: string, scope: Locals, to: Program): string => {
  const hasParts = plan._tag === 'Struct' || plan._tag === 'Tuple'
  if (!hasParts || x === 'x' || !isLarge(plan)) return inPlace(plan, x, scope, to)
  const write = (u: string, inside: Locals): string => `return ${inPlace(plan, u, inside, to)}`
  return `${asFunction(plan, to, write)}(${x})`
}

const inPlace = (plan: Plan, x: string, scope: Locals, to: Program): string => {
  const all = (tests: ReadonlyArray<string>): string => `(${tests.join(' && ')})`
  switch (plan._tag) {
    case 'Basic':
      return `(${basic[plan.test](x)})`
    case 'Literals':
      return isOneOf(plan.values, x, to)
    case 'List': {
      const test = asFunction(plan, to, (list, inside) => {
        const item = inside.fresh()
        const passes = testOf(plan.item, item, inside, to)
        return `for (let i = 0, n = ${list}.length; i < n; i++) {
          ${item} = ${list}[i]; if (!${passes}) return false } return true`
      })
      return `(isArray(${x}) && ${test}(${x}))`
    }
    case 'Tuple': {
      const items = plan.items.map((item, i) => {
        const value = scope.fresh()
        return `(${value} = ${x}[${i}], ${testOf(item, value, scope, to)})`
      })
      return all([`isArray(${x})`, `(${x}.length <= ${items.length} || unusual())`, ...items])
    }
    case 'Union':
      return `(${plan.members.map((member) => testOf(member, x, scope, to)).join(' || ') || 'false'})`
    case 'Tagged': {
      const tag = scope.fresh()
      const choices = plan.members.map(({ tags, plan: member }) => {
        const chosen = tags.map((value) => `${tag} === ${to.constant(value)}`).join(' || ')
        return `(${chosen}) ? ${testOf(member, x, scope, to)} : `
      })
      const key = JSON.stringify(plan.tag)
      return all([isRecord(x), `(${tag} = ${x}[${key}], ${choices.join('')} false)`])
    }
    case 'Intersection':
      return all(plan.members.map((member) => testOf(member, x, scope, to)))
    case 'Struct': {
      const fields = plan.fields.map((field) => {
        const value = scope.fresh()
        const test = testOf(field.plan, value, scope, to)
        const passes = plan.optional ? `(${test} || ${value} === undefined)` : test
        return `(${value} = ${x}[${JSON.stringify(field.key)}], ${passes})`
      })
      return all([isRecord(x), ...fields])
    }
    case 'Dictionary': {
      const test = asFunction(plan, to, (record, inside) => {
        const value = inside.fresh()
        const passes = testOf(plan.codomain, value, inside, to)
        // also visits inherited keys, which is faster than skipping them, but refuses none of them
        return `for (const key in ${record}) {
          ${value} = ${record}[key]; if (!${passes} && hasOwn(${record}, key)) return false } return true`
      })
      return `(${plan.lists ? `isArray(${x}) || ` : ''}(${isRecord(x)} && ${test}(${x})))`
    }
    case 'Refinement':
      return all([testOf(plan.plan, x, scope, to), `${to.constant(plan.predicate)}(${x})`])
    case 'Recursive': {
      const write = (u: string, inside: Locals): string =>
        `return ${testOf(plan.body(), u, inside, to)}`
      return `${asFunction(plan, to, write)}(${x})`
    }
    case 'Exact':
    case 'Opaque':
      return 'unusual()' // never called, because these plans do not keep their input
  }
}

// enumerations

/** Maximum number of comparisons in a chain. With more, a `Set` is faster, although newly parsed strings have no hash yet. */
const MAX_CHAIN = 24

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
  if ([...groups.values()].some((group) => group.length > MAX_CHAIN)) {
    return `typeof ${x} === "string" && ${to.constant(new Set(values))}.has(${x})`
  }
  const cases = [...groups].map(
    ([length, group]) => `case ${length}: return ${equals('x', group)};`,
  )
  const choose = `(x) => { switch (x.length) { ${cases.join(' ')} default: return false } }`
  return `typeof ${x} === "string" && ${to.helper(choose)}(${x})`
}

/**
 * Returns a test for a value other than a string. `literal(0)` turns -0 into 0, and `literal(-0)` does the reverse, so every
 * case but 0 for 0 is left to io-ts.
 */
const other = (value: unknown, x: string, to: Program): string => {
  if (typeof value === 'boolean' || value === null) return `${x} === ${value}`
  if (value === 0)
    return `(${x} === 0 && ((${Object.is(value, 0)} && Object.is(${x}, 0)) || unusual()))`
  return `${x} === ${to.constant(value)}`
}

/** Writes a test for a set of values. Strings are written into the source as JSON; other values are passed in. */
const isOneOf = (values: ReadonlyArray<unknown>, x: string, to: Program): string => {
  const strings = [...new Set(values.filter((value) => typeof value === 'string'))]
  const others = values.filter((value) => typeof value !== 'string')
  const tests = [
    ...(strings.length > 0 ? [texts(strings, x, to)] : []),
    ...others.map((value) => other(value, x, to)),
  ]
  return tests.length === 0 ? 'false' : `(${tests.join(' || ')})`
}
