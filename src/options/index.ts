/** How options are checked: for all that take some, from whatever place. */
export { checked, invalid } from './checked.js'
export { InvalidOption } from './InvalidOption.js'
export type { Needed, Rule, Rules } from './Rule.js'
export * as is from './rules.js'
