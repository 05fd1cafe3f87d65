/** Options as tables: each row has the rule, default and doc comment of one option. */
export {
  checkArgument,
  checkOptions,
  defaultsOf,
  InvalidOption,
  resolveOptions,
} from './checkOptions.js'
export {
  type Checked,
  type MayBeUndefined,
  type OptionRule,
  type OptionsOf,
  type OptionsTable,
  type Required,
  type Resolved,
  required,
  withDefault,
} from './OptionsTable.js'
export { readVariable, type Variables } from './readVariable.js'
export * as is from './rules.js'
export { didYouMean, similarName, unknownName } from './unknownName.js'
