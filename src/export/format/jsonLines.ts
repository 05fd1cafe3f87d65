import { tooDeep } from '../column/depth.js'
import { extensionOf } from './compress.js'
import type { Compression, Format } from './Format.js'
import { jsonTexts, ndjsonText } from './json.js'
import { textEncoder } from './text.js'

/**
 * NDJSON of anything that is not nested too deeply, as it is: for rows that no codec describes, such as those
 * that did not decode.
 */
export const jsonLines = (compress: Compression = 'none'): Format<unknown> => ({
  name: 'ndjson',
  compress,
  extension: extensionOf('ndjson', compress),
  columns: [],
  misfit: tooDeep,
  encoder: textEncoder(ndjsonText(jsonTexts('fast')), compress),
})
