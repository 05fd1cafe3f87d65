import type { Plan, Struct } from '../Plan.js'
import { keepsInput, mayTakeUndefined } from '../traits.js'
import type { Locals, Program } from './Program.js'
import { testOf } from './tests.js'

export type ReadOf = (plan: Plan, to: Program) => string

interface Written {
  /** What is done with the value of a field before it is known to be taken. */
  readonly present: (value: string, key: string) => string
  /** What is done where the value of a field has to be another. */
  readonly change: (got: string, key: string) => string
}

const copying: Written = {
  present: () => '',
  change: (got, key) => `{ if (made === x) made = copy(x); made[${key}] = ${got} }`,
}

/**
 * Statements that read the fields of `made`, which is `x` until something has to be changed, and
 * return `refused` if one is not taken.
 */
export const readFields = (
  struct: Struct,
  own: Locals,
  to: Program,
  readOf: ReadOf,
  written: Partial<Written> = {},
): ReadonlyArray<string> => {
  const { present, change } = { ...copying, ...written }
  return struct.fields.map((field) => {
    const value = own.fresh()
    const key = JSON.stringify(field.key)
    const load = `${value} = made[${key}];`
    const missing = struct.optional ? ` && ${value} !== undefined` : ''
    const seen = present(value, field.key)
    if (keepsInput(field.plan)) {
      const adds =
        !struct.optional && mayTakeUndefined(field.plan)
          ? `if (${value} === undefined && !hasOwn(made, ${key})) ${change('undefined', key)}`
          : ''
      const test = testOf(field.plan, value, own, to)
      return `${load} if (!${test}${missing}) return refused; ${seen} ${adds}`
    }
    const got = own.fresh()
    const adds = struct.optional ? '' : ` || (${got} === undefined && !hasOwn(made, ${key}))`
    const refuse = struct.optional ? `if (${value} !== undefined) return refused` : 'return refused'
    return `${load} ${got} = ${readOf(field.plan, to)}(${value}); ${seen}
      if (${got} === refused) { ${refuse} }
      else if (${got} !== ${value}${adds}) ${change(got, key)}`
  })
}
