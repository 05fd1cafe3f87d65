/** Checks options against their table, and fills in defaults. */
import { ofAnyCopy, withoutPrototype, withoutUndefined } from '../fp.js'
import {
  type Checked,
  type Defaults,
  type OptionRule,
  type OptionsOf,
  type OptionsTable,
  type Resolved,
  required,
  type Table,
} from './OptionsTable.js'
import { isObject } from './rules.js'
import { unknownName } from './unknownName.js'

/** Thrown for an invalid or unknown option. Does not contain the value, which may be secret. */
export class InvalidOption extends TypeError {
  /** Also recognizes errors of another copy of the package. */
  static override readonly [Symbol.hasInstance] = ofAnyCopy('InvalidOption')

  override readonly name = 'InvalidOption'
  readonly _tag = 'InvalidOption'
  /** The name of the option, such as `timeout.connect`. */
  readonly option: string

  /** `context` precedes the name in the message, such as `retry: `. */
  constructor(option: string, expected: string, context = '') {
    super(`${context}${option} should be ${expected}`)
    this.option = option
  }
}

export interface CheckSettings {
  /** Precedes option names in errors, such as `retry: `. */
  readonly context?: string
  /** Accepts a field that the table does not have. */
  readonly allowUnknown?: (name: string) => boolean
}

/**
 * Returns the options that are not `undefined`, because an `undefined` one would hide its default. Only own properties count.
 * The result has no prototype, so an omitted option is not looked up on `Object.prototype`. Throws an `InvalidOption` for a
 * name that is not in the table, and for a value that its rule rejects.
 */
export const checkOptions = <A extends object>(
  options: A,
  table: OptionsTable<NoInfer<A>> & Table,
  settings: CheckSettings = {},
): Checked<A> => {
  if (!isObject(options)) {
    throw invalidOption('options', options, {
      expected: `an object like { ${Object.keys(table).join(', ')} }`,
      ...withoutUndefined({ context: settings.context }),
    })
  }
  return checkFields('', options, table, settings) as Checked<A> // without undefined values
}

/** Returns the checked options, with defaults for those omitted. */
export const resolveOptions = <T extends Table>(
  options: OptionsOf<T>,
  table: T,
  settings?: CheckSettings,
): Resolved<T> =>
  // the type describes the rows as these two functions use them
  withoutPrototype({
    ...defaultsOf(table),
    ...checkOptions<object>(options, table, settings),
  }) as Resolved<T>

/** Returns the defaults of a table. */
export const defaultsOf = <T extends Table>(table: T): Defaults<T> =>
  Object.freeze(
    Object.fromEntries(
      Object.entries(table).flatMap(([name, row]) =>
        'default' in row ? [[name, row.default]] : [],
      ),
    ),
  ) as Defaults<T>

/** Throws an `InvalidOption` unless the rule accepts the value of an argument. */
export const checkArgument = (
  name: string,
  value: unknown,
  rule: OptionRule,
  context?: string,
): void => {
  checkValue(name, value, required(rule), context)
}

/** Describes a rejected value by its kind, without repeating it. */
const invalidOption = (
  option: string,
  u: unknown,
  {
    expected,
    type,
    context,
  }: Pick<OptionRule, 'expected' | 'type'> & Pick<CheckSettings, 'context'>,
): InvalidOption => {
  const kind = kindOf(u, type)
  return new InvalidOption(
    option,
    kind === undefined ? expected : `${expected}, but is ${kind}`,
    context,
  )
}

const checkFields = <A extends object>(
  path: string,
  options: A,
  table: Table,
  { context, allowUnknown = () => false }: CheckSettings,
): A => {
  const pathOf = (name: string): string => (path === '' ? name : `${path}.${name}`)
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(table, name) || allowUnknown(name)) continue
    throw new InvalidOption(pathOf(name), unknownName('option', name, Object.keys(table)), context)
  }
  const checked = withoutPrototype(options)
  for (const [name, rule] of Object.entries(table)) {
    const given: unknown = Object.hasOwn(options, name) ? Reflect.get(options, name) : undefined
    const value = checkValue(pathOf(name), given, rule, context)
    if (value === undefined) Reflect.deleteProperty(checked, name)
    else Reflect.set(checked, name, value)
  }
  return checked
}

const checkValue = (path: string, u: unknown, rule: OptionRule, context = ''): unknown => {
  if (u === undefined && rule.required !== true) return undefined
  if (!rule.accepts(u)) throw invalidOption(path, u, { ...rule, context })
  const { fields, each } = rule
  if (fields !== undefined && isObject(u)) return checkFields(path, u, fields, { context })
  if (each === undefined) return u
  if (Array.isArray(u)) {
    const one = required(each)
    return Array.from(u, (item: unknown, n) => checkValue(`${path}[${n}]`, item, one, context))
  }
  return isObject(u) ? checkFields(path, u, tableOf(u, each), { context }) : u
}

const tableOf = (u: object, rule: OptionRule): Table =>
  Object.fromEntries(Object.keys(u).map((name) => [name, rule]))

/** Returns the kind of a value; `undefined` if `expected` already says it. */
const kindOf = (u: unknown, type: OptionRule['type']): string | undefined => {
  if (u === undefined) return 'missing'
  if (u === null) return 'null'
  if (u === '') return 'empty'
  if (typeof u === 'number') return Number.isFinite(u) ? finiteKind(u, type) : String(u)
  if (Array.isArray(u)) return 'a list'
  if (typeof u === type) return undefined
  if (typeof u === 'string') return 'a string'
  if (typeof u !== 'object') return `a ${typeof u}`
  return isObject(u) ? 'an object' : 'an object without fields'
}

const finiteKind = (n: number, type: OptionRule['type']): string | undefined => {
  if (type === 'string' || n > 0) return type === 'number' ? undefined : 'a number'
  return n < 0 ? 'below 0' : '0'
}
