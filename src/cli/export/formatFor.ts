/** How the rows of a resource are written, from what was said on the command line. */

import { type Shape, shapeOf } from '../../export/column/Shape.js'
import { formatOfShape } from '../../export/format/formatOf.js'
import type { Format } from '../../export/index.js'
import { E } from '../../fp.js'
import { UsageError } from '../output.js'
import type { OutputPlan } from './outputPlan.js'
import type { Resource } from './Resource.js'

/** Throws a `WrongUse` for columns that cannot be chosen so. */
export const formatFor = <A>(
  {
    codec,
    name,
    hasSecret = false,
  }: Pick<Resource<A, never, never, never, never>, 'codec' | 'name' | 'hasSecret'>,
  { options }: Pick<OutputPlan, 'options'>,
): Format<A> => {
  const refused = (why: string): UsageError => new UsageError(`--columns: ${why} (export ${name})`)
  const secret = hasSecret ? options.columns?.find(isOfSecret) : undefined
  if (secret !== undefined) throw refused(`no column ${secret}: files hold no secret`)
  const shape = shapeOf(codec)
  const format = formatOfShape<A>(hasSecret ? withoutSecret(shape) : shape)(options)
  if (E.isRight(format)) return format.right
  throw refused(format.left.message)
}

/** Whether `NAME:TYPE` names a `secret`, however deep. */
const isOfSecret = (column: string): boolean => /(^|\.)secret($|[.:])/.test(column)

const withoutSecret = (shape: Shape): Shape =>
  shape._tag === 'Struct'
    ? { ...shape, fields: new Map([...shape.fields].filter(([key]) => key !== 'secret')) }
    : shape
