import type { Plan } from './Plan.js'

const partsOf = (plan: Plan): ReadonlyArray<Plan> => {
  switch (plan._tag) {
    case 'Basic':
    case 'Literals':
    case 'Opaque':
      return []
    case 'List':
      return [plan.item]
    case 'Tuple':
      return plan.items
    case 'Union':
    case 'Intersection':
      return plan.members
    case 'Tagged':
      return plan.members.map((member) => member.plan)
    case 'Struct':
      return plan.fields.map((field) => field.plan)
    case 'Dictionary':
      return [plan.domain, plan.codomain]
    case 'Refinement':
    case 'Exact':
      return [plan.plan]
    case 'Recursive':
      return [plan.body()]
  }
}

/** Whether undefined may be taken. Says yes where it does not know. */
export const mayTakeUndefined = (plan: Plan, within: ReadonlyArray<Plan> = []): boolean => {
  if (within.includes(plan)) return false
  const below = (inner: Plan): boolean => mayTakeUndefined(inner, [...within, plan])
  switch (plan._tag) {
    case 'Basic':
      return plan.test === 'any' || plan.test === 'undefined'
    case 'Literals':
      return plan.values.includes(undefined)
    case 'Opaque':
      return true
    case 'Union':
      return plan.members.some(below)
    case 'Intersection':
      return plan.members.every(below)
    case 'Refinement':
      return below(plan.plan)
    case 'Recursive':
      return below(plan.body())
    default:
      return false
  }
}

const changes = (plan: Plan): boolean => {
  switch (plan._tag) {
    case 'Opaque':
    case 'Exact':
      return true
    case 'Struct':
      return !plan.optional && plan.fields.some((field) => mayTakeUndefined(field.plan))
    case 'Dictionary':
      return !(plan.domain._tag === 'Basic' && plan.domain.test === 'string')
    default:
      return false
  }
}

/** Whether something holds of a plan and of all that is in it. */
const holds = (of: (plan: Plan) => boolean, plan: Plan): boolean => {
  const seen = new Set<Plan>()
  const visit = (inner: Plan): boolean => {
    if (seen.has(inner)) return true
    seen.add(inner)
    return of(inner) && partsOf(inner).every(visit)
  }
  return visit(plan)
}

/**
 * Whether every value that is taken is returned as it is, the same object. (Rare values that are
 * copied all the same, such as an object with a NaN, are handed to io-ts when they come.)
 */
export const keepsInput = (plan: Plan): boolean => holds((inner) => !changes(inner), plan)

/** Whether a value is changed at most where it has more or fewer keys than it should. */
export const mostlyKeepsInput = (plan: Plan): boolean =>
  holds((inner) => inner._tag !== 'Opaque', plan)
