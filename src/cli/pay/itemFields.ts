/** The fields of a payment, by the dotted names that columns of a file have. */
import { Beneficiary } from '../../codec/Beneficiary.js'
import { NewBatchItem } from '../../codec/NewBatchItem.js'
import { columnsOf } from '../../export/column/Column.js'
import { type Shape, shapeOf } from '../../export/column/Shape.js'

// model

/** `open`: an object with keys of the caller's choice, or a list; a column holds its JSON, or one of its keys. */
type FieldKind = 'text' | 'open'

// fields

/** Amounts are read as text, digit by digit. */
const AMOUNTS: ReadonlyArray<string> = ['source_amount', 'transfer_amount']

const kindsOf = (shape: Shape, path: ReadonlyArray<string>) =>
  columnsOf(shape, path).map(({ name, type }): readonly [string, FieldKind] => [
    name,
    type === 'json' && !AMOUNTS.includes(name) ? 'open' : 'text',
  ])

/** A beneficiary may be empty as well, and so has no columns of its own in the shape of an item. */
const fields: ReadonlyMap<string, FieldKind> = new Map([
  ...kindsOf(shapeOf(NewBatchItem), []).filter(([name]) => name !== 'beneficiary'),
  ...kindsOf(shapeOf(Beneficiary), ['beneficiary']),
])

/** The column of a rejected file that says why; it is skipped when the file is paid. */
export const WHY = 'not_paid_because'

export const fieldNames: ReadonlyArray<string> = [...fields.keys()]

export const isAmount = (name: string): boolean => AMOUNTS.includes(name)

/** Returns what a column of this name holds; `undefined` if a payment has no such field. */
export const kindOf = (name: string): FieldKind | undefined => {
  const kind = fields.get(name)
  if (kind !== undefined) return kind
  const isWithin = [...fields].some(([field, of]) => of === 'open' && name.startsWith(`${field}.`))
  return isWithin && !name.endsWith('.') ? 'text' : undefined
}

// items

/** Puts a value at a path of keys, through objects that are made on the way. */
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

/** Columns of a template: what a transfer to a bank account usually needs. */
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

/** A file with the usual columns and one row, to be replaced. */
export const template = (): string =>
  [TEMPLATE.map(([name]) => name), TEMPLATE.map(([, example]) => example)]
    .map((cells) => cells.join(','))
    .join('\n')
