/** The fields of a payment by dotted name. A file uses these names for its columns. */
import { Beneficiary } from '../../codec/Beneficiary.js'
import { AMOUNTS as AMOUNT_FIELDS, NewBatchItem } from '../../codec/NewBatchItem.js'
import { columnsOf } from '../../export/column/Column.js'
import { type Shape, shapeOf } from '../../export/column/Shape.js'

/** `open`: a list, or an object whose keys the caller chooses. A column holds its JSON, or one of its keys. */
type FieldKind = 'text' | 'open'

// fields

/** Fields with amounts. They are read as text, to keep all digits. */
const AMOUNTS: ReadonlyArray<string> = AMOUNT_FIELDS

const kindsOf = (shape: Shape, path: ReadonlyArray<string>) =>
  columnsOf(shape, path).map(({ name, type }): readonly [string, FieldKind] => [
    name,
    type === 'json' && !AMOUNTS.includes(name) ? 'open' : 'text',
  ])

/**
 * Kinds of fields by name. Includes the fields of a beneficiary, which may be empty and therefore has no columns in the shape
 * of an item.
 */
const fields: ReadonlyMap<string, FieldKind> = new Map([
  ...kindsOf(shapeOf(NewBatchItem), []).filter(([name]) => name !== 'beneficiary'),
  ...kindsOf(shapeOf(Beneficiary), ['beneficiary']),
])

/** Column with the reason in a file of rejected rows. It is ignored when that file is paid. */
export const WHY = 'not_paid_because'

export const fieldNames: ReadonlyArray<string> = [...fields.keys()]

export const isAmount = (name: string): boolean => AMOUNTS.includes(name)

/** Returns the kind of field that a column contains; `undefined` if a payment does not have the field. */
export const kindOf = (name: string): FieldKind | undefined => {
  const kind = fields.get(name)
  if (kind !== undefined) return kind
  const isWithin = [...fields].some(([field, of]) => of === 'open' && name.startsWith(`${field}.`))
  return isWithin && !name.endsWith('.') ? 'text' : undefined
}

/** Returns true if a payment has a field of this name, or an object that contains one. */
export const isField = (name: string): boolean =>
  kindOf(name) !== undefined || fieldNames.some((field) => field.startsWith(`${name}.`))

// items

/** Sets the value at a path of keys, creating objects as needed. */
export const put = (
  item: Record<string, unknown>,
  path: ReadonlyArray<string>,
  value: unknown,
): void => {
  const [key = '', ...rest] = path
  if (rest.length === 0) {
    Reflect.defineProperty(item, key, { value, enumerable: true, writable: true })
    return
  }
  const inner = Object.hasOwn(item, key) ? item[key] : undefined
  const parent: Record<string, unknown> =
    typeof inner === 'object' && inner !== null ? { ...inner } : {}
  put(parent, rest, value)
  Reflect.defineProperty(item, key, { value: parent, enumerable: true, writable: true })
}

// template

/** Columns of a template: the usual fields of a transfer to a bank account. */
const TEMPLATE: ReadonlyArray<readonly [name: string, example: string]> = [
  ['request_id', 'wage-2026-01-0001'],
  ['reason', 'wages_salary'],
  ['reference', 'Wages January'],
  ['source_currency', 'USD'],
  ['transfer_currency', 'EUR'],
  ['transfer_method', 'LOCAL'],
  ['transfer_amount', '1250.50'],
  ['beneficiary.entity_type', 'PERSONAL'],
  ['beneficiary.first_name', 'Ada'],
  ['beneficiary.last_name', 'Example'],
  ['beneficiary.bank_details.account_name', 'Ada Example'],
  ['beneficiary.bank_details.account_currency', 'EUR'],
  ['beneficiary.bank_details.bank_country_code', 'DE'],
  ['beneficiary.bank_details.iban', 'DE89370400440532013000'],
]

/** Returns a file with the usual columns and one row to replace. */
export const template = (): string =>
  [TEMPLATE.map(([name]) => name), TEMPLATE.map(([, example]) => example)]
    .map((cells) => cells.join(','))
    .join('\n')
