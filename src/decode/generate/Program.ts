/** The source of a decoder during generation: its constants and functions. */
import type { Plan } from './Plan.js'

export interface Program {
  /** Names a value that is passed to the code rather than written into it. */
  readonly constant: (value: unknown) => string
  /** Names a function, which is written once per plan and role, and may call itself. */
  readonly define: (role: string, plan: Plan, write: (name: string) => string) => string
  /** Names a function that does not belong to a plan. */
  readonly helper: (source: string) => string
  readonly constants: ReadonlyArray<unknown>
  readonly functions: ReadonlyArray<string>
}

export const program = (): Program => {
  const constants: Array<unknown> = []
  const functions: Array<string> = []
  const names = new Map<string, Map<Plan, string>>()
  let count = 0

  return {
    constants,
    functions,
    constant: (value) => {
      const index = constants.indexOf(value)
      return `c${index < 0 ? constants.push(value) - 1 : index}`
    },
    define: (role, plan, write) => {
      const ofRole = names.get(role) ?? new Map<Plan, string>()
      names.set(role, ofRole)
      const existing = ofRole.get(plan)
      if (existing !== undefined) return existing
      const name = `${role}${count++}`
      ofRole.set(plan, name)
      functions.push(write(name))
      return name
    },
    helper: (source) => {
      const name = `helper${count++}`
      functions.push(`const ${name} = ${source};`)
      return name
    },
  }
}

/** The variables of one function. */
export interface Locals {
  readonly fresh: () => string
  readonly declared: () => string
}

export const locals = (): Locals => {
  const names: Array<string> = []
  return {
    fresh: () => {
      names.push(`v${names.length}`)
      return `v${names.length - 1}`
    },
    declared: () => (names.length === 0 ? '' : `let ${names.join(', ')};`),
  }
}
