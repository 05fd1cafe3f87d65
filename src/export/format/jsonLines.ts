import { checkOptions, is, type OptionsTable } from '../../options/index.js'
import { beyondJson } from '../column/beyondJson.js'
import type { Numbers } from '../column/Numbers.js'
import { extensionOf } from './compress.js'
import { type Compression, compressions, type Format } from './Format.js'
import { jsonTexts, ndjsonText } from './json.js'
import { textEncoder } from './text.js'

// model

/** How `jsonLines` writes lines. */
export interface JsonLinesOptions {
  /** How the file is compressed. Default `none`. */
  readonly compress?: Compression
  /** `exact` writes the digits of numbers as they came, where they are kept beside them. Default `fast`. */
  readonly numbers?: Numbers
}

// constructors

const rules: OptionsTable<JsonLinesOptions> = {
  compress: is.oneOf(...compressions),
  numbers: is.oneOf('exact', 'fast'),
}

/**
 * NDJSON of anything that JSON can say and that is not nested too deeply, as it is: for rows that no codec
 * describes, such as those that did not decode. Throws an `InvalidOption`.
 */
export const jsonLines = (options: JsonLinesOptions = {}): Format<unknown> => {
  const { compress = 'none', numbers = 'fast' } = checkOptions(options, rules)
  return {
    name: 'ndjson',
    compress,
    extension: extensionOf('ndjson', compress),
    columns: [],
    misfit: beyondJson,
    encoder: textEncoder(ndjsonText(jsonTexts(numbers)), compress),
  }
}
