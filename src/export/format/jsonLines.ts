import { tooDeep } from '../column/depth.js'
import type { Numbers } from '../column/Numbers.js'
import { extensionOf } from './compress.js'
import type { Compression, Format } from './Format.js'
import { jsonTexts, ndjsonText } from './json.js'
import { textEncoder } from './text.js'

/**
 * NDJSON of anything that is not nested too deeply, as it is: for rows that no codec describes, such as those
 * that did not decode. `exact` writes the digits of numbers as they came, where they are kept beside them.
 */
export const jsonLines = (
  compress: Compression = 'none',
  numbers: Numbers = 'fast',
): Format<unknown> => ({
  name: 'ndjson',
  compress,
  extension: extensionOf('ndjson', compress),
  columns: [],
  misfit: tooDeep,
  encoder: textEncoder(ndjsonText(jsonTexts(numbers)), compress),
})
