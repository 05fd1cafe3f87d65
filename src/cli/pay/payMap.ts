/** `--map`: which column of a file holds which field of a payment. */
import { readFile } from 'node:fs/promises'
import { isRecord, parsed } from '../../decode/unknown.js'
import { similarName } from '../../options/index.js'
import { codeOf } from '../../store/FileSystem.js'
import { UsageError } from '../output.js'
import { fieldNames, kindOf } from './itemFields.js'

/** Where the value of a field comes from. */
export type FieldSource =
  | { readonly column: string }
  /** A value for all rows. */
  | { readonly value: string }

/** Sources by the names of fields. */
export type PayMap = ReadonlyMap<string, FieldSource>

/** Reads a map: `{ "transfer_amount": "Net pay", "reason": { "value": "wages_salary" } }`. */
export const readMap = async (path: string): Promise<PayMap> => {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`--map: cannot read ${path} (${codeOf(error) ?? 'an error'})`)
  })
  const json = parsed(text)
  if (!isRecord(json) || Object.keys(json).length === 0) {
    throw new UsageError(`--map: ${path} should be a JSON object of fields and columns`)
  }
  return new Map(
    Object.entries(json).map(([field, source]): readonly [string, FieldSource] => {
      checkField(`--map: ${path}`, field)
      if (typeof source === 'string' && source !== '') return [field, { column: source }]
      if (isRecord(source) && typeof source.value === 'string')
        return [field, { value: source.value }]
      throw new UsageError(
        `--map: ${path}: ${field} should be the name of a column, or {"value": "a text"} for the same in each row`,
      )
    }),
  )
}

/** Throws for a name that no field of a payment has. */
export const checkField = (place: string, name: string): void => {
  if (kindOf(name) !== undefined) return
  const similar = similarName(name, fieldNames)
  const hint = similar === undefined ? '' : ` (did you mean ${similar}?)`
  const advice = place.startsWith('--map') ? '' : ': rename or remove the column, or use --map'
  throw new UsageError(`${place}: a payment has no field ${JSON.stringify(name)}${hint}${advice}`)
}
