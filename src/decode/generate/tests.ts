import type { Basic, Plan } from '../Plan.js'
import { isOneOf } from './enumeration.js'
import { type Locals, locals, type Program } from './Program.js'

export const isRecord = (x: string): string =>
  `typeof ${x} === "object" && ${x} !== null && !isArray(${x})`

/** NaN is not itself, so io-ts takes it for changed and copies what it is in. */
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

/** How many tests are written in one place before a function of their own is worth its call. */
const INLINED = 80

/** Whether a plan has more parts than are written in one place; does not count further. */
const isLarge = (plan: Plan): boolean => {
  let left = INLINED
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

const asFunction = (plan: Plan, to: Program, write: (x: string, own: Locals) => string): string =>
  to.define('test', plan, (name) => {
    const own = locals()
    const body = write('x', own)
    return `function ${name}(x) { ${own.declared()} ${body} }`
  })

/** An expression that is true of what `plan`, which keeps its input, takes. */
export const testOf = (plan: Plan, x: string, own: Locals, to: Program): string => {
  const hasParts = plan._tag === 'Struct' || plan._tag === 'Tuple'
  if (!hasParts || x === 'x' || !isLarge(plan)) return inPlace(plan, x, own, to)
  const write = (u: string, inside: Locals): string => `return ${inPlace(plan, u, inside, to)}`
  return `${asFunction(plan, to, write)}(${x})`
}

const inPlace = (plan: Plan, x: string, own: Locals, to: Program): string => {
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
        const value = own.fresh()
        return `(${value} = ${x}[${i}], ${testOf(item, value, own, to)})`
      })
      return all([`isArray(${x})`, `(${x}.length <= ${items.length} || unusual())`, ...items])
    }
    case 'Union':
      return `(${plan.members.map((member) => testOf(member, x, own, to)).join(' || ') || 'false'})`
    case 'Tagged': {
      const tag = own.fresh()
      const choices = plan.members.map(({ tags, plan: member }) => {
        const chosen = tags.map((value) => `${tag} === ${to.constant(value)}`).join(' || ')
        return `(${chosen}) ? ${testOf(member, x, own, to)} : `
      })
      const key = JSON.stringify(plan.tag)
      return all([isRecord(x), `(${tag} = ${x}[${key}], ${choices.join('')} false)`])
    }
    case 'Intersection':
      return all(plan.members.map((member) => testOf(member, x, own, to)))
    case 'Struct': {
      const fields = plan.fields.map((field) => {
        const value = own.fresh()
        const test = testOf(field.plan, value, own, to)
        const passes = plan.optional ? `(${test} || ${value} === undefined)` : test
        return `(${value} = ${x}[${JSON.stringify(field.key)}], ${passes})`
      })
      return all([isRecord(x), ...fields])
    }
    case 'Dictionary': {
      const test = asFunction(plan, to, (record, inside) => {
        const value = inside.fresh()
        const passes = testOf(plan.codomain, value, inside, to)
        // Looks at inherited keys, too, which is faster than to leave them out, but refuses none.
        return `for (const key in ${record}) {
          ${value} = ${record}[key]; if (!${passes} && hasOwn(${record}, key)) return false } return true`
      })
      return `(${plan.lists ? `isArray(${x}) || ` : ''}(${isRecord(x)} && ${test}(${x})))`
    }
    case 'Refinement':
      return all([testOf(plan.plan, x, own, to), `${to.constant(plan.predicate)}(${x})`])
    case 'Recursive': {
      const write = (u: string, inside: Locals): string =>
        `return ${testOf(plan.body(), u, inside, to)}`
      return `${asFunction(plan, to, write)}(${x})`
    }
    case 'Exact':
    case 'Opaque':
      return 'unusual()' // never asked: these do not keep their input
  }
}
