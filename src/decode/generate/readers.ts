/** Writes readers. A reader is a function that returns the decoded value, which may be another object, or `refused`. */
import {
  type Dictionary,
  type Exact,
  keepsInput,
  mayTakeUndefined,
  mostlyKeepsInput,
  type Plan,
  type StructPlan,
} from './Plan.js'
import { type Locals, locals, type Program } from './Program.js'
import { isRecord, testOf } from './tests.js'

/** Writes the reader of a plan, and returns its name. */
export const readOf = (plan: Plan, to: Program): string =>
  to.define('read', plan, (name) => {
    const scope = locals()
    const body = keepsInput(plan)
      ? `return ${testOf(plan, 'x', scope, to)} ? x : refused`
      : bodyOf(plan, scope, to)
    return `function ${name}(x) { ${scope.declared()} ${body} }`
  })

/** Writes statements that assign the value that `plan` reads from `x` to `into`, or that return `refused`. */
const step = (plan: Plan, x: string, into: string, scope: Locals, to: Program): string =>
  keepsInput(plan)
    ? `if (!${testOf(plan, x, scope, to)}) return refused; ${into} = ${x};`
    : `${into} = ${readOf(plan, to)}(${x}); if (${into} === refused) return refused;`

const list = (item: Plan, scope: Locals, to: Program): string => {
  const [value, got] = [scope.fresh(), scope.fresh()]
  return `if (!isArray(x)) return refused;
    let made = x;
    for (let i = 0, n = x.length; i < n; i++) {
      ${value} = x[i];
      ${step(item, value, got, scope, to)}
      if (${got} !== ${value}) { if (made === x) made = x.slice(); made[i] = ${got} }
    }
    return made`
}

const tuple = (items: ReadonlyArray<Plan>, scope: Locals, to: Program): string => {
  const [value, got] = [scope.fresh(), scope.fresh()]
  const steps = items.map(
    (item, i) => `${value} = x[${i}];
      ${step(item, value, got, scope, to)}
      if (${got} !== ${value}) { if (made === x) made = x.slice(); made[${i}] = ${got} }`,
  )
  return `if (!isArray(x)) return refused;
    let made = x.length > ${items.length} ? x.slice(0, ${items.length}) : x;
    ${steps.join('\n')}
    return made`
}

const struct = (plan: StructPlan, scope: Locals, to: Program): string =>
  `if (!(${isRecord('x')})) return refused;
    let made = x;
    ${readFields(plan, scope, to).join('\n')}
    return made`

const dictionary = (plan: Dictionary, scope: Locals, to: Program): string => {
  const [value, got] = [scope.fresh(), scope.fresh()]
  const key = keepsInput(plan.domain)
    ? `${testOf(plan.domain, 'name', scope, to)} ? name : refused`
    : `${readOf(plan.domain, to)}(name)`
  return `if (!(${isRecord('x')})) return ${plan.lists ? 'isArray(x) ? x : refused' : 'refused'};
    const into = {};
    let changed = false;
    for (const name of keysOf(x)) {
      ${value} = x[name];
      const key = ${key};
      if (key !== name) changed = true;
      if (key === refused) continue;
      ${step(plan.codomain, value, got, scope, to)}
      if (${got} !== ${value}) changed = true;
      into[key] = ${got};
    }
    return changed ? into : x`
}

const union = (members: ReadonlyArray<Plan>, scope: Locals, to: Program): string => {
  const got = scope.fresh()
  const tries = members.map((member) =>
    keepsInput(member)
      ? `if (${testOf(member, 'x', scope, to)}) return x;`
      : `${got} = ${readOf(member, to)}(x); if (${got} !== refused) return ${got};`,
  )
  return `${tries.join('\n')} return refused`
}

const intersection = (members: ReadonlyArray<Plan>, scope: Locals, to: Program): string => {
  const variables = members.map(() => scope.fresh())
  const steps = members.map((member, i) => step(member, 'x', variables[i] ?? '', scope, to))
  const same = variables.map((one) => `${one} === x`).join(' && ')
  return `${steps.join('\n')} return ${same || 'false'} ? x : merge(x, [${variables.join(', ')}])`
}

const bodyOf = (plan: Plan, scope: Locals, to: Program): string => {
  switch (plan._tag) {
    case 'List':
      return list(plan.item, scope, to)
    case 'Tuple':
      return tuple(plan.items, scope, to)
    case 'Struct':
      return struct(plan, scope, to)
    case 'Dictionary':
      return dictionary(plan, scope, to)
    case 'Union':
      return union(plan.members, scope, to)
    case 'Intersection':
      return intersection(plan.members, scope, to)
    case 'Tagged': {
      const chosen = plan.members.map(({ tags, plan: member }) => {
        const test = tags.map((value) => `tag === ${to.constant(value)}`).join(' || ')
        return `if (${test}) return ${readOf(member, to)}(x);`
      })
      const tag = `const tag = x[${JSON.stringify(plan.tag)}];`
      return `if (!(${isRecord('x')})) return refused; ${tag} ${chosen.join('\n')} return refused`
    }
    case 'Refinement': {
      const got = scope.fresh()
      const passes = `${to.constant(plan.predicate)}(${got})`
      return `${step(plan.plan, 'x', got, scope, to)} return ${passes} ? ${got} : refused`
    }
    case 'Exact':
      return readExact(plan, scope, to)
    case 'Recursive':
      return `return ${readOf(plan.body(), to)}(x)`
    case 'Opaque':
      return `return ask(${to.constant(plan.codec)}, x)`
    case 'Basic':
    case 'Literals':
      return 'return unusual()' // never called, because these plans keep their input
  }
}

// objects

interface Written {
  /** Writes the statement that handles the value of a field before it is tested. */
  readonly present: (value: string, key: string) => string
  /** Writes the statement that handles a field with a new value. */
  readonly change: (got: string, key: string) => string
}

const copying: Written = {
  present: () => '',
  change: (got, key) => `{ if (made === x) made = copy(x); made[${key}] = ${got} }`,
}

/** Writes statements that read the fields of `made`, which is `x` until a change. They return `refused` for a refused field. */
const readFields = (
  struct: StructPlan,
  scope: Locals,
  to: Program,
  written: Partial<Written> = {},
): ReadonlyArray<string> => {
  const { present, change } = { ...copying, ...written }
  return struct.fields.map((field) => {
    const value = scope.fresh()
    const key = JSON.stringify(field.key)
    const load = `${value} = made[${key}];`
    const missing = struct.optional ? ` && ${value} !== undefined` : ''
    const seen = present(value, field.key)
    if (keepsInput(field.plan)) {
      const adds =
        !struct.optional && mayTakeUndefined(field.plan)
          ? `if (${value} === undefined && !hasOwn(made, ${key})) ${change('undefined', key)}`
          : ''
      const test = testOf(field.plan, value, scope, to)
      return `${load} if (!${test}${missing}) return refused; ${seen} ${adds}`
    }
    const got = scope.fresh()
    const adds = struct.optional ? '' : ` || (${got} === undefined && !hasOwn(made, ${key}))`
    const refuse = struct.optional ? `if (${value} !== undefined) return refused` : 'return refused'
    return `${load} ${got} = ${readOf(field.plan, to)}(${value}); ${seen}
      if (${got} === refused) { ${refuse} }
      else if (${got} !== ${value}${adds}) ${change(got, key)}`
  })
}

const isStruct = (plan: Plan): plan is StructPlan => plan._tag === 'Struct'

/** Returns the structs inside if their fields can be counted: each key occurs once, and none is inherited by every object. */
const countable = ({ plan }: Exact): ReadonlyArray<StructPlan> => {
  const members = plan._tag === 'Intersection' && mostlyKeepsInput(plan) ? plan.members : [plan]
  const structs = members.filter(isStruct)
  const keys = structs.flatMap(({ fields }) => fields.map(({ key }) => key))
  const counts =
    structs.length === members.length &&
    new Set(keys).size === keys.length &&
    !keys.some((key) => key in Object.prototype)
  return counts ? structs : []
}

const generally = (plan: Exact, to: Program): string =>
  `const all = ${readOf(plan.plan, to)}(x);
    return all === refused ? refused : strip(all, namesOf(all), ${to.constant(plan.props)})`

/**
 * Writes code that strips unknown keys. If a plain object has as many names as there are known fields with a value, neither the
 * object nor its copy has other names, so none are looked up. The names are taken from the object, because its copy has no
 * hidden keys.
 */
const readExact = (plan: Exact, scope: Locals, to: Program): string => {
  const record = `if (!(${isRecord('x')})) return refused;`
  const structs = countable(plan)
  if (structs.length === 0) return `${record} ${generally(plan, to)}`
  const sure = new Set(
    structs.flatMap(({ optional, fields }) =>
      fields.filter((field) => !optional && !mayTakeUndefined(field.plan)).map(({ key }) => key),
    ),
  )
  const present = (value: string, key: string): string =>
    sure.has(key) ? '' : `if (${value} !== undefined) count++;`
  // A value that several members change must be merged, so it is read again, one member at a time.
  const change = (): string =>
    `return ${to.define('merging', plan, (name) => `function ${name}(x) { ${generally(plan, to)} }`)}(x)`
  const written = isStruct(plan.plan) ? { present } : { present, change }
  const steps = structs.flatMap((struct) => readFields(struct, scope, to, written))
  return `${record}
    let made = x, count = ${sure.size};
    ${steps.join('\n')}
    const names = namesOf(x);
    return names.length === count && protoOf(x) === base
      ? made : strip(made, made === x ? names : namesOf(made), ${to.constant(plan.props)})`
}
