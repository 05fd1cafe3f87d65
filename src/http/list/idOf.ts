import { fieldsOf } from '../../decode/unknown.js'

/** What a row of a list goes by, unless another key is given. */
export const rowId = (row: unknown): string | undefined => {
  const { id } = fieldsOf(row)
  return typeof id === 'string' ? id : undefined
}
