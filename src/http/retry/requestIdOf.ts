import { fieldsOf } from '../../decode/unknown.js'

/** The request_id of parameters, an item or a row; what is no text, or an empty one, is none. */
export const requestIdOf = (u: unknown): string | undefined => {
  const { request_id } = fieldsOf(u)
  return typeof request_id === 'string' && request_id !== '' ? request_id : undefined
}
