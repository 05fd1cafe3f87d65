/** `--map`: maps the columns of a file to the fields of a payment. */
import { readFile } from 'node:fs/promises'
import { isRecord, parsed } from '../../decode/unknown.js'
import { didYouMean, similarName } from '../../options/index.js'
import { UsageError } from '../output.js'
import { whyUnread } from '../whyUnread.js'
import { fieldNames, isField } from './itemFields.js'

/** The source of a field's value. */
export type FieldSource =
  | { readonly column: string }
  /** A value for all rows. */
  | { readonly value: string }

export type PayMap = ReadonlyMap<string, FieldSource>

/** Reads a map: `{ "transfer_amount": "Net pay", "reason": { "value": "wages_salary" } }`. */
export const readMap = async (path: string): Promise<PayMap> => {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--map: ${whyUnread(path, error)}`)
  })
  const json = parsed(text)
  if (!isRecord(json) || Object.keys(json).length === 0) {
    throw new UsageError(`--map: ${path} should be a JSON object that maps fields to columns`)
  }
  return new Map(
    Object.entries(json).map(([field, source]): readonly [string, FieldSource] => {
      checkField(`--map: ${path}`, field)
      if (typeof source === 'string' && source !== '') return [field, { column: source }]
      if (isRecord(source) && typeof source.value === 'string')
        return [field, { value: source.value }]
      throw new UsageError(
        `--map: ${path}: ${field} should be a column name, or {"value": "..."} to use the same text in each row`,
      )
    }),
  )
}

/** Throws if a payment has no field of this name. */
export const checkField = (place: string, name: string): void => {
  if (isField(name)) return
  const last = fieldNames.find((field) => field.endsWith(`.${name}`))
  const hint = didYouMean(similarName(name, fieldNames) ?? last)
  const advice = place.startsWith('--map') ? '' : ': rename or remove it, or use --map'
  throw new UsageError(`${place}: a payment has no field ${JSON.stringify(name)}${hint}${advice}`)
}
