import type { Dictionary, Plan, Struct } from '../Plan.js'
import { keepsInput } from '../traits.js'
import { readExact } from './exact.js'
import { readFields } from './fields.js'
import { type Locals, locals, type Program } from './Program.js'
import { isRecord, testOf } from './tests.js'

/** Statements that leave what `plan` makes of `x` in `into`, or return `refused`. */
const step = (plan: Plan, x: string, into: string, own: Locals, to: Program): string =>
  keepsInput(plan)
    ? `if (!${testOf(plan, x, own, to)}) return refused; ${into} = ${x};`
    : `${into} = ${readOf(plan, to)}(${x}); if (${into} === refused) return refused;`

const list = (item: Plan, own: Locals, to: Program): string => {
  const [value, got] = [own.fresh(), own.fresh()]
  return `if (!isArray(x)) return refused;
    let made = x;
    for (let i = 0, n = x.length; i < n; i++) {
      ${value} = x[i];
      ${step(item, value, got, own, to)}
      if (${got} !== ${value}) { if (made === x) made = x.slice(); made[i] = ${got} }
    }
    return made`
}

const tuple = (items: ReadonlyArray<Plan>, own: Locals, to: Program): string => {
  const [value, got] = [own.fresh(), own.fresh()]
  const steps = items.map(
    (item, i) => `${value} = x[${i}];
      ${step(item, value, got, own, to)}
      if (${got} !== ${value}) { if (made === x) made = x.slice(); made[${i}] = ${got} }`,
  )
  return `if (!isArray(x)) return refused;
    let made = x.length > ${items.length} ? x.slice(0, ${items.length}) : x;
    ${steps.join('\n')}
    return made`
}

const struct = (plan: Struct, own: Locals, to: Program): string =>
  `if (!(${isRecord('x')})) return refused;
    let made = x;
    ${readFields(plan, own, to, readOf).join('\n')}
    return made`

const dictionary = (plan: Dictionary, own: Locals, to: Program): string => {
  const [value, got] = [own.fresh(), own.fresh()]
  const key = keepsInput(plan.domain)
    ? `${testOf(plan.domain, 'name', own, to)} ? name : refused`
    : `${readOf(plan.domain, to)}(name)`
  return `if (!(${isRecord('x')})) return ${plan.lists ? 'isArray(x) ? x : refused' : 'refused'};
    const into = {};
    let changed = false;
    for (const name of keysOf(x)) {
      ${value} = x[name];
      const key = ${key};
      if (key !== name) changed = true;
      if (key === refused) continue;
      ${step(plan.codomain, value, got, own, to)}
      if (${got} !== ${value}) changed = true;
      into[key] = ${got};
    }
    return changed ? into : x`
}

const union = (members: ReadonlyArray<Plan>, own: Locals, to: Program): string => {
  const got = own.fresh()
  const tries = members.map((member) =>
    keepsInput(member)
      ? `if (${testOf(member, 'x', own, to)}) return x;`
      : `${got} = ${readOf(member, to)}(x); if (${got} !== refused) return ${got};`,
  )
  return `${tries.join('\n')} return refused`
}

const intersection = (members: ReadonlyArray<Plan>, own: Locals, to: Program): string => {
  const made = members.map(() => own.fresh())
  const steps = members.map((member, i) => step(member, 'x', made[i] ?? '', own, to))
  const same = made.map((one) => `${one} === x`).join(' && ')
  return `${steps.join('\n')} return ${same || 'false'} ? x : merge(x, [${made.join(', ')}])`
}

const bodyOf = (plan: Plan, own: Locals, to: Program): string => {
  switch (plan._tag) {
    case 'List':
      return list(plan.item, own, to)
    case 'Tuple':
      return tuple(plan.items, own, to)
    case 'Struct':
      return struct(plan, own, to)
    case 'Dictionary':
      return dictionary(plan, own, to)
    case 'Union':
      return union(plan.members, own, to)
    case 'Intersection':
      return intersection(plan.members, own, to)
    case 'Tagged': {
      const chosen = plan.members.map(({ tags, plan: member }) => {
        const test = tags.map((value) => `tag === ${to.constant(value)}`).join(' || ')
        return `if (${test}) return ${readOf(member, to)}(x);`
      })
      const tag = `const tag = x[${JSON.stringify(plan.tag)}];`
      return `if (!(${isRecord('x')})) return refused; ${tag} ${chosen.join('\n')} return refused`
    }
    case 'Refinement': {
      const got = own.fresh()
      const passes = `${to.constant(plan.predicate)}(${got})`
      return `${step(plan.plan, 'x', got, own, to)} return ${passes} ? ${got} : refused`
    }
    case 'Exact':
      return readExact(plan, own, to, readOf)
    case 'Recursive':
      return `return ${readOf(plan.body(), to)}(x)`
    case 'Opaque':
      return `return ask(${to.constant(plan.codec)}, x)`
    case 'Basic':
    case 'Literals':
      return 'return unusual()' // never asked: these keep their input
  }
}

/** The name of the function that answers with the decoded value, or `refused`. */
export const readOf = (plan: Plan, to: Program): string =>
  to.define('read', plan, (name) => {
    const own = locals()
    const body = keepsInput(plan)
      ? `return ${testOf(plan, 'x', own, to)} ? x : refused`
      : bodyOf(plan, own, to)
    return `function ${name}(x) { ${own.declared()} ${body} }`
  })
