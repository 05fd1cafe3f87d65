import type { Exact, Plan, Struct } from '../Plan.js'
import { keepsInput, mayTakeUndefined } from '../traits.js'
import { fieldsOf } from './fields.js'
import type { Locals, Program } from './Program.js'
import { isRecord } from './tests.js'

type ReadOf = (plan: Plan, to: Program) => string

const isStruct = (plan: Plan): plan is Struct => plan._tag === 'Struct'

/** The structs inside whose fields can be counted: each key once, and none that all objects have. */
const countable = ({ plan }: Exact): ReadonlyArray<Struct> => {
  const structs =
    plan._tag === 'Intersection' && keepsInput(plan)
      ? plan.members.filter(isStruct)
      : [plan].filter(isStruct)
  const keys = structs.flatMap(({ fields }) => fields.map(({ key }) => key))
  const whole =
    plan._tag === 'Struct' ||
    (plan._tag === 'Intersection' && structs.length === plan.members.length)
  return whole && new Set(keys).size === keys.length && !keys.some((key) => key in Object.prototype)
    ? structs
    : []
}

/**
 * Takes unknown keys away. In a plain object, as many names as there are known fields with a value
 * means that there is no other, so nothing is looked up.
 */
export const readExact = (plan: Exact, own: Locals, to: Program, readOf: ReadOf): string => {
  const props = to.constant(plan.props)
  const structs = countable(plan)
  if (structs.length === 0) {
    return `if (!(${isRecord('x')})) return refused;
      const made = ${readOf(plan.plan, to)}(x);
      return made === refused ? refused : strip(made, namesOf(made), ${props})`
  }
  let certain = 0
  const steps = structs.flatMap((struct) => {
    const sure = new Set(
      struct.fields.flatMap(({ key, plan: field }) =>
        struct.optional || mayTakeUndefined(field) ? [] : [key],
      ),
    )
    certain += sure.size
    return fieldsOf(struct, own, to, readOf, (value, key) =>
      sure.has(key) ? '' : `if (${value} !== undefined) count++;`,
    )
  })
  return `if (!(${isRecord('x')})) return refused;
    const plain = protoOf(x) === base;
    let made = x, count = ${certain};
    ${steps.join('\n')}
    const names = namesOf(made);
    return plain && names.length === count && (made === x || protoOf(made) === base)
      ? made : strip(made, names, ${props})`
}
