import type { Basic, Plan, Struct } from '../Plan.js'
import { unusual } from '../runtime.js'
import { isRecord } from '../unknown.js'

export type Test = (u: unknown) => boolean

/** NaN is not itself, so io-ts takes it for changed and copies what it is in. */
const isItself: Test = (u) => !Number.isNaN(u) || unusual()

const basic: Readonly<Record<Basic, Test>> = {
  any: isItself,
  never: () => false,
  null: (u) => u === null,
  object: (u) => typeof u === 'object' && u !== null,
  list: Array.isArray,
  record: isRecord,
  string: (u) => typeof u === 'string',
  number: (u) => typeof u === 'number' && isItself(u),
  bigint: (u) => typeof u === 'bigint',
  boolean: (u) => typeof u === 'boolean',
  function: (u) => typeof u === 'function',
  undefined: (u) => u === undefined,
}

/** `literal(0)` makes 0 of -0, and `literal(-0)` the reverse: all but 0 of 0 is left to io-ts. */
const literals = (values: ReadonlyArray<unknown>): Test => {
  const known = new Set(values.filter((value) => !Number.isNaN(value)))
  const zero = values.find((value) => value === 0)
  return (u) => known.has(u) && (u !== 0 || (Object.is(u, 0) && Object.is(zero, 0)) || unusual())
}

const list =
  (item: Test): Test =>
  (u) => {
    if (!Array.isArray(u)) return false
    for (let i = 0, length = u.length; i < length; i++) if (!item(u[i])) return false
    return true
  }

const tuple =
  (items: ReadonlyArray<Test>): Test =>
  (u) =>
    Array.isArray(u) && (u.length <= items.length || unusual()) && items.every((f, i) => f(u[i]))

const struct = ({ fields, optional }: Struct, testOf: (plan: Plan) => Test): Test => {
  const tests = fields.map(({ key, plan }) => ({ key, test: testOf(plan) }))
  return (u) => {
    if (!isRecord(u)) return false
    for (const { key, test } of tests) {
      const value = u[key]
      if (!test(value) && !(optional && value === undefined)) return false
    }
    return true
  }
}

const dictionary =
  (codomain: Test, lists: boolean): Test =>
  (u) => {
    if (!isRecord(u)) return lists && Array.isArray(u)
    for (const key of Object.keys(u)) if (!codomain(u[key])) return false
    return true
  }

/** A test for each plan that keeps its input. What io-ts would copy all the same is `unusual`. */
export const closureTests = (): ((plan: Plan) => Test) => {
  const made = new Map<Plan, Test>()

  const make = (plan: Plan): Test => {
    switch (plan._tag) {
      case 'Basic':
        return basic[plan.test]
      case 'Literals':
        return literals(plan.values)
      case 'List':
        return list(test(plan.item))
      case 'Tuple':
        return tuple(plan.items.map(test))
      case 'Union': {
        const members = plan.members.map(test)
        return (u) => members.some((member) => member(u))
      }
      case 'Tagged': {
        const members = plan.members.map((member) => ({ ...member, test: test(member.plan) }))
        return (u) => {
          if (!isRecord(u)) return false
          const value = u[plan.tag]
          return members.find(({ tags }) => tags.indexOf(value) >= 0)?.test(u) ?? false
        }
      }
      case 'Intersection': {
        const members = plan.members.map(test)
        return (u) => members.every((member) => member(u))
      }
      case 'Struct':
        return struct(plan, test)
      case 'Dictionary':
        return dictionary(test(plan.codomain), plan.lists)
      case 'Refinement': {
        const inner = test(plan.plan)
        return (u) => inner(u) && Boolean(plan.predicate(u))
      }
      case 'Recursive':
        return (u) => test(plan.body())(u)
      case 'Exact':
      case 'Opaque':
        return unusual // never asked: these do not keep their input
    }
  }

  const test = (plan: Plan): Test => {
    const known = made.get(plan)
    if (known !== undefined) return known
    const fresh = make(plan)
    made.set(plan, fresh)
    return fresh
  }
  return test
}
