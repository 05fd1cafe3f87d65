import type { Exact, Plan, Struct } from '../Plan.js'
import { mayTakeUndefined, mostlyKeepsInput } from '../traits.js'
import { type ReadOf, readFields } from './fields.js'
import type { Locals, Program } from './Program.js'
import { isRecord } from './tests.js'

const isStruct = (plan: Plan): plan is Struct => plan._tag === 'Struct'

/** The structs inside, if their fields can be counted: each key once, and none that all objects have. */
const countable = ({ plan }: Exact): ReadonlyArray<Struct> => {
  const members = plan._tag === 'Intersection' && mostlyKeepsInput(plan) ? plan.members : [plan]
  const structs = members.filter(isStruct)
  const keys = structs.flatMap(({ fields }) => fields.map(({ key }) => key))
  const counts =
    structs.length === members.length &&
    new Set(keys).size === keys.length &&
    !keys.some((key) => key in Object.prototype)
  return counts ? structs : []
}

const generally = (plan: Exact, to: Program, readOf: ReadOf): string =>
  `const all = ${readOf(plan.plan, to)}(x);
    return all === refused ? refused : strip(all, namesOf(all), ${to.constant(plan.props)})`

/**
 * Takes unknown keys away. In a plain object, as many names as there are known fields with a value
 * means that there is no other, so nothing is looked up, and a copy of it has none, either. The names are
 * not those of the copy: it has no hidden keys.
 */
export const readExact = (plan: Exact, own: Locals, to: Program, readOf: ReadOf): string => {
  const record = `if (!(${isRecord('x')})) return refused;`
  const structs = countable(plan)
  if (structs.length === 0) return `${record} ${generally(plan, to, readOf)}`
  const sure = new Set(
    structs.flatMap(({ optional, fields }) =>
      fields.filter((field) => !optional && !mayTakeUndefined(field.plan)).map(({ key }) => key),
    ),
  )
  const present = (value: string, key: string): string =>
    sure.has(key) ? '' : `if (${value} !== undefined) count++;`
  // What several members change has to be merged, so it is read again, member by member.
  const change = (): string =>
    `return ${to.define('merging', plan, (name) => `function ${name}(x) { ${generally(plan, to, readOf)} }`)}(x)`
  const written = isStruct(plan.plan) ? { present } : { present, change }
  const steps = structs.flatMap((struct) => readFields(struct, own, to, readOf, written))
  return `${record}
    let made = x, count = ${sure.size};
    ${steps.join('\n')}
    const names = namesOf(x);
    return names.length === count && protoOf(x) === base
      ? made : strip(made, made === x ? names : namesOf(made), ${to.constant(plan.props)})`
}
