/** Describes how a row is sent, in words for people. */
import { type AnyEndpoint, method } from '../../../src/api/Endpoint.js'
import type { Rule } from '../../../src/codec/Codec.js'
import type { JsonSchema } from './schemaOf.js'

export const NOT_SPECIFIED = 'default, not specified by the interface document'

/** The mark of a field or rule in the place of `NOT_SPECIFIED`. */
export const MARK = ' \\*'

/** A rule between fields, in words. */
export const between = ({
  field,
  expected,
  unspecified,
}: Pick<Rule<never>, 'field' | 'expected' | 'unspecified'>): string =>
  `\`${field}\` is ${expected}${unspecified === true ? ` (${NOT_SPECIFIED})` : ''}.`

/** Tells if a call is sent again when it is unknown if it arrived. */
export const replay = (row: AnyEndpoint): string => {
  if (method(row.route) === 'GET') return 'Sent again after any fault: it changes nothing.'
  switch (row.repeatable) {
    case 'by request_id':
      return typeof row.foundBy !== 'string'
        ? 'Sent again after any fault, with the same `request_id`.'
        : `Sent again after any fault, with the same \`request_id\`; if it stays unclear what became of it, \`${row.foundBy}\` is asked by the \`request_id\`.`
    case 'by request_id of items':
      return 'Sent again after any fault: items with a `request_id` that was seen before are ignored.'
    case 'as it is':
      return 'Sent again after any fault.'
    case undefined:
      return 'Never sent again once it may have arrived: it ends as `Ambiguous`.'
  }
}

export const paging = ({ paging }: AnyEndpoint): string | undefined =>
  paging === undefined
    ? undefined
    : `By \`${paging.style === 'number' ? 'page_num` and `has_more' : 'page` and `page_after'}\`; ${paging.size} rows a page unless \`page_size\` says otherwise.`

const list = (values: ReadonlyArray<string>): string =>
  values.length > 40
    ? `${values.slice(0, 5).map(quoted).join(', ')} and ${values.length - 5} more`
    : values.map(quoted).join(', ')

const quoted = (value: string): string => `\`${value}\``

const range = (unit: string, min: number | undefined, max: number | undefined): string =>
  min === undefined && max === undefined
    ? ''
    : max === undefined
      ? min === 1 && unit === 'characters'
        ? 'not empty'
        : `at least ${min} ${min === 1 ? unit.replace(/s$/, '') : unit}`
      : `${min ?? 0} to ${max} ${unit}`

/** The rule that a single value keeps, besides its type. */
export const rule = (schema: JsonSchema): string =>
  [
    schema.enum === undefined ? '' : `one of ${list(schema.enum)}`,
    schema['x-extensible-enum'] === undefined
      ? ''
      : `${list(schema['x-extensible-enum'])}, or a value added later`,
    range('characters', schema.minLength, schema.maxLength),
    schema.maxItems === undefined ? '' : `up to ${schema.maxItems} items`,
    schema.minItems === undefined
      ? ''
      : `${range('items', schema.minItems, undefined)}${isMarked(schema, 'minItems') ? MARK : ''}`,
    range('', schema.minimum, schema.maximum).trim(),
    schema.pattern === undefined
      ? ''
      : `${patternWords(schema.pattern)}${isMarked(schema, 'pattern') ? MARK : ''}`,
    schema.maxProperties === 0 ? 'empty' : '',
    schema.default === undefined
      ? ''
      : `${list([schema.default].flat().map(String))} when left out`,
    schema.description ?? '',
    schema.items === undefined ? '' : rule(schema.items),
  ]
    .filter((part) => part !== '')
    .join('; ')

/** Tells if a rule of a value is our default. */
const isMarked = ({ 'x-not-specified': marked }: JsonSchema, what: string): boolean =>
  Array.isArray(marked) && marked.includes(what)

/** Patterns that have a name among people. */
const patternWords = (pattern: string): string =>
  pattern.includes('T(')
    ? `${pattern.startsWith('^$|') ? 'empty, or ' : ''}ISO 8601 ${pattern.includes('(T(') ? 'date or time' : 'date and time'}`
    : (known[pattern] ?? `matches \`${pattern.replaceAll('|', '\\|')}\``)

const known: Readonly<Record<string, string>> = {
  '^[A-Z]{3}$': 'ISO 4217 code',
  '^[A-Z]{2}$': 'ISO 3166 code',
  '^\\d{4}-\\d\\d-\\d\\d$': 'YYYY-MM-DD',
  '^\\d+(\\.\\d+)?$': 'plain decimal text, such as `9.99`; a number is written as such',
  '^0*[1-9]\\d*$': 'positive whole number as text, in the smallest unit',
  '^\\d{12,19}$': '12 to 19 digits; spaces and hyphens are taken out',
  '^[!-~]+$': 'printable ASCII',
  '^[!-~]([ -~]*[!-~])?$': 'printable ASCII',
  '^[A-Za-z0-9]{8}([A-Za-z0-9]{3})?$': '8 or 11 letters and digits',
}

/** The type of a value in a word or two, and the schema of what is inside it. */
export const typeOf = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return `[${name}](#${name.toLowerCase()})`
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.allOf !== undefined) return schema.allOf.map(typeOf).join(' and ')
  return [schema.type ?? 'anything']
    .flat()
    .map((type) => (type === 'array' ? `list of ${typeOf(schema.items ?? {})}` : type))
    .join(' or ')
}
