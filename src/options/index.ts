/** Options as tables: rule, default and doc of each option in one row, for every function that takes options. */
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
export * as is from './rules.js'
export { didYouMean, similarName, unknownName } from './unknownName.js'
