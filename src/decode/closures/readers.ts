import type { Dictionary, Exact, Plan, Struct } from '../Plan.js'
import { ask, copy, merge, refused, strip } from '../runtime.js'
import { keepsInput } from '../traits.js'
import { isRecord } from '../unknown.js'
import { closureTests, type Test } from './tests.js'

/** The decoded value, or `refused`. */
export type Reader = (u: unknown) => unknown

const list =
  (item: Reader): Reader =>
  (u) => {
    if (!Array.isArray(u)) return refused
    let made: Array<unknown> = u
    for (let i = 0, length = u.length; i < length; i++) {
      const value: unknown = u[i]
      const read = item(value)
      if (read === refused) return refused
      if (read === value) continue
      if (made === u) made = u.slice()
      made[i] = read
    }
    return made
  }

const tuple =
  (items: ReadonlyArray<Reader>): Reader =>
  (u) => {
    if (!Array.isArray(u)) return refused
    let made: Array<unknown> = u.length > items.length ? u.slice(0, items.length) : u
    for (const [i, item] of items.entries()) {
      const value: unknown = u[i]
      const read = item(value)
      if (read === refused) return refused
      if (read === value) continue
      if (made === u) made = u.slice()
      made[i] = read
    }
    return made
  }

const struct = ({ fields, optional }: Struct, reader: (plan: Plan) => Reader): Reader => {
  const readers = fields.map(({ key, plan }) => ({ key, read: reader(plan) }))
  return (u) => {
    if (!isRecord(u)) return refused
    let made = u
    for (const { key, read } of readers) {
      const value = made[key]
      const got = read(value)
      if (got === refused) {
        if (optional && value === undefined) continue
        return refused
      }
      const adds = !optional && got === undefined && !Object.hasOwn(made, key)
      if (got === value && !adds) continue
      if (made === u) made = copy(u)
      made[key] = got
    }
    return made
  }
}

const dictionary = (plan: Dictionary, reader: (plan: Plan) => Reader): Reader => {
  const [domain, codomain] = [reader(plan.domain), reader(plan.codomain)]
  return (u) => {
    if (!isRecord(u)) return plan.lists && Array.isArray(u) ? u : refused
    const made: Record<string, unknown> = {}
    let changed = false
    for (const name of Object.keys(u)) {
      const value = u[name]
      const key = domain(name)
      changed ||= key !== name
      if (key === refused) continue
      const got = codomain(value)
      if (got === refused) return refused
      changed ||= got !== value
      made[key as string] = got // whatever the domain made of it, as io-ts does
    }
    return changed ? made : u
  }
}

const isSame = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean => {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Most objects have the names of the one before, so those are not looked up again. */
const exact = ({ plan, props }: Exact, reader: (plan: Plan) => Reader): Reader => {
  const inner = reader(plan)
  let allKnown: ReadonlyArray<string> | undefined
  return (u) => {
    if (!isRecord(u)) return refused
    const got = inner(u)
    if (got === refused) return refused
    const names = Object.getOwnPropertyNames(got)
    if (allKnown !== undefined && isSame(allKnown, names)) return got
    // What was made of a record by an unknown codec may be no record: io-ts does not ask, either.
    const kept = strip(got as Record<string, unknown>, names, props)
    if (kept === got) allKnown = names
    return kept
  }
}

/** A reader for a plan, made of functions: for where code may not be generated. */
export const closures = (root: Plan): Reader => {
  const made = new Map<Plan, Reader>()
  const testOf = closureTests()

  const keeping =
    (test: Test): Reader =>
    (u) =>
      test(u) ? u : refused

  const make = (plan: Plan): Reader => {
    switch (plan._tag) {
      case 'List':
        return list(reader(plan.item))
      case 'Tuple':
        return tuple(plan.items.map(reader))
      case 'Union': {
        const members = plan.members.map(reader)
        return (u) => {
          for (const member of members) {
            const got = member(u)
            if (got !== refused) return got
          }
          return refused
        }
      }
      case 'Tagged': {
        const members = plan.members.map((member) => ({ ...member, read: reader(member.plan) }))
        return (u) => {
          if (!isRecord(u)) return refused
          const value = u[plan.tag]
          const member = members.find(({ tags }) => tags.indexOf(value) >= 0)
          return member === undefined ? refused : member.read(u)
        }
      }
      case 'Intersection': {
        const members = plan.members.map(reader)
        return (u) => {
          const all: Array<unknown> = []
          for (const member of members) {
            const got = member(u)
            if (got === refused) return refused
            all.push(got)
          }
          return merge(u, all)
        }
      }
      case 'Struct':
        return struct(plan, reader)
      case 'Dictionary':
        return dictionary(plan, reader)
      case 'Refinement': {
        const inner = reader(plan.plan)
        return (u) => {
          const got = inner(u)
          return got !== refused && plan.predicate(got) ? got : refused
        }
      }
      case 'Exact':
        return exact(plan, reader)
      case 'Opaque':
        return (u) => ask(plan.codec, u)
      case 'Recursive':
        return (u) => reader(plan.body())(u)
      default:
        return keeping(testOf(plan))
    }
  }

  const reader = (plan: Plan): Reader => {
    const known = made.get(plan)
    if (known !== undefined) return known
    const fresh = keepsInput(plan) ? keeping(testOf(plan)) : make(plan)
    made.set(plan, fresh)
    return fresh
  }
  return reader(root)
}
