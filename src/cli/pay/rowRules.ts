/** Rules for values that are valid but probably mistakes, such as those that spreadsheets make. */
import { AMOUNTS } from '../../codec/NewBatchItem.js'
import type { Cause } from '../../decode/causes.js'
import { exponentOf } from '../../decode/minorUnits.js'
import { fieldsOf } from '../../decode/unknown.js'
import { O } from '../../fp.js'

/** `1.250`, `12.000.000`: many languages use the dot as a thousands separator. */
const GROUPED = /^\d{1,3}(\.\d{3})+$/

/** `1.23457E+11`: a number that a spreadsheet has shortened because its column is too narrow. */
const SHORTENED = /^\d(\.\d+)?E\+?\d+$/i

/** Maximum length of an amount that is quoted in a message. It is shorter than a card number. */
const MOST_SHOWN = 15

/** Fields with an account or bank number. */
const NUMBERS = ['account_number', 'iban', 'account_routing_value1', 'account_routing_value2']

/** Returns the number of decimals of the amount's currency; 2 if the currency is not in ISO 4217. */
const decimalsOf = (item: Readonly<Record<string, unknown>>, amount: string): number => {
  const currency = item[amount.replace('amount', 'currency')]
  return O.getOrElse(() => 2)(exponentOf(String(currency)))
}

/** Returns probable mistakes in an item read from a file. */
export const rowProblems = (item: unknown): ReadonlyArray<Cause> => {
  const fields = fieldsOf(item)
  const { bank_details } = fieldsOf(fields.beneficiary)
  return [
    ...AMOUNTS.flatMap((path) => amountProblem(path, fields)),
    ...NUMBERS.flatMap((name): ReadonlyArray<Cause> => {
      const text = fieldsOf(bank_details)[name]
      if (typeof text !== 'string' || !SHORTENED.test(text.trim())) return []
      const path = `beneficiary.bank_details.${name}`
      const expected = 'the full number (format the column as text in the spreadsheet)'
      return [{ path, expected, actual: 'shortened, as in 1.23457E+11' }]
    }),
  ]
}

const amountProblem = (
  path: string,
  fields: Readonly<Record<string, unknown>>,
): ReadonlyArray<Cause> => {
  const text = String(fields[path] ?? '')
  if (/^0+(\.0+)?$/.test(text)) return [{ path, expected: 'more than 0', actual: '0' }]
  if (!GROUPED.test(text) || decimalsOf(fields, path) >= 3) return []
  const whole = text.replaceAll('.', '')
  const [integer = '', decimals = ''] = text.split('.')
  const isOneDot = text.length === integer.length + 4
  const decimal = `${integer}.${decimals}`.replace(/\.?0+$/, '')
  const shown = text.length > MOST_SHOWN ? 'digits in groups' : `'${text}'`
  return [
    {
      path,
      expected:
        text.length > MOST_SHOWN
          ? 'without dots between groups'
          : isOneDot
            ? `${whole} or ${decimal}`
            : whole,
      actual: isOneDot ? `${shown}, which can be read as either` : shown,
    },
  ]
}

/** Returns an amount such as `1.250 KWD` whose dot was read as a decimal point. */
export const readAsDecimals = (item: object): string | undefined => {
  const fields = fieldsOf(item)
  const path = AMOUNTS.find((name) => GROUPED.test(String(fields[name])))
  return path && `${fields[path]} ${fields[path.replace('amount', 'currency')]}`
}

/** Returns true if an item has an IBAN whose check digits are invalid (ISO 13616: the number modulo 97 must be 1). */
export const hasWrongIban = (item: object): boolean => {
  const { iban } = fieldsOf(fieldsOf(fieldsOf(item).beneficiary).bank_details)
  if (typeof iban !== 'string' || iban.trim() === '') return false
  const text = iban.replace(/\s/g, '').toUpperCase()
  if (!/^[A-Z]{2}\d{2}[A-Z\d]{11,30}$/.test(text)) return true
  let rest = 0
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest !== 1
}
