/** The rules that the tables of exports have in common. */
import { is, type Rule } from '../options/index.js'
import type { Rotation } from './file/partsOf.js'

/** `formatOf` answers with an `Either`, which is easily taken for what is in it. */
export const format: Rule = {
  ...is.withMethods('', 'encoder'),
  expected: 'a format: what is in the Right of formatOf, or what jsonLines gives',
}

export const files = is.withMethods('functions as those of node:fs/promises', 'open')

/** Of no rows a file would be ended and another begun for ever. */
export const rotation: Rule = is.group<Rotation>({
  rows: is.positiveIntOrInfinity,
  bytes: is.positiveIntOrInfinity,
})

/** Where a file is gone on with. */
export const mark = is.object('a mark, as commit answered it')
