import type { Plan, Struct } from '../Plan.js'
import { keepsInput, mayTakeUndefined } from '../traits.js'
import type { Locals, Program } from './Program.js'
import { testOf } from './tests.js'

type ReadOf = (plan: Plan, to: Program) => string

/**
 * Statements that read the fields of `made`, which is `x` until something has to be changed, and
 * return `refused` if one is not taken. `present` is written where a field's value is known.
 */
export const fieldsOf = (
  struct: Struct,
  own: Locals,
  to: Program,
  readOf: ReadOf,
  present: (value: string, key: string) => string = () => '',
): ReadonlyArray<string> =>
  struct.fields.map((field) => {
    const value = own.fresh()
    const key = JSON.stringify(field.key)
    const load = `${value} = made[${key}];`
    const change = (got: string): string =>
      `{ if (made === x) made = copy(x); made[${key}] = ${got} }`
    const missing = struct.optional ? ` && ${value} !== undefined` : ''
    const seen = present(value, field.key)
    if (keepsInput(field.plan)) {
      const adds =
        !struct.optional && mayTakeUndefined(field.plan)
          ? `if (${value} === undefined && !hasOwn(made, ${key})) ${change('undefined')}`
          : ''
      const test = testOf(field.plan, value, own, to)
      return `${load} if (!${test}${missing}) return refused; ${seen} ${adds}`
    }
    const got = own.fresh()
    const adds = struct.optional ? '' : ` || (${got} === undefined && !hasOwn(made, ${key}))`
    const refuse = struct.optional ? `if (${value} !== undefined) return refused` : 'return refused'
    return `${load} ${got} = ${readOf(field.plan, to)}(${value}); ${seen}
      if (${got} === refused) { ${refuse} }
      else if (${got} !== ${value}${adds}) ${change(got)}`
  })
