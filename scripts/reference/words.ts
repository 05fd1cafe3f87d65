/** Describes for readers how a row is sent. */
import { type AnyEndpoint, method } from '../../src/api/Endpoint.js'
import type { Rule, Schema } from '../../src/codec/Codec.js'

export interface JsonSchema extends Partial<Omit<Schema, 'type' | 'x-not-specified'>> {
  readonly $ref?: string
  readonly type?: string | ReadonlyArray<string>
  readonly description?: string
  readonly enum?: ReadonlyArray<string>
  /** The known values of an enumeration to which others may be added. */
  readonly 'x-extensible-enum'?: ReadonlyArray<string>
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: ReadonlyArray<string>
  readonly items?: JsonSchema
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly allOf?: ReadonlyArray<JsonSchema>
  readonly default?: unknown
  /** The part that is our assumption: all of it, or some of its rules. */
  readonly 'x-not-specified'?: true | ReadonlyArray<string>
  /** The known values that are our assumption. */
  readonly 'x-not-specified-values'?: ReadonlyArray<string>
}

export const NOT_SPECIFIED = 'our assumption: not in the API description'

/** The mark that replaces `NOT_SPECIFIED` on a field or a rule. */
export const MARK = ' \\*'

/** A rule between fields, as a sentence. */
export const between = ({
  field,
  expected,
  unspecified,
}: Pick<Rule<never>, 'field' | 'expected' | 'unspecified'>): string =>
  `\`${field}\` must be ${expected}${unspecified === true ? ` (${NOT_SPECIFIED})` : ''}.`

/** Says whether a call is retried when it is unknown whether it arrived. */
export const replay = (row: AnyEndpoint): string => {
  if (method(row.route) === 'GET') return 'Read-only: retried after any fault.'
  switch (row.repeatable) {
    case 'by request_id':
      return typeof row.foundBy !== 'string'
        ? 'Retried after any fault, with the same `request_id`.'
        : `Retried after any fault, with the same \`request_id\`. If the outcome is still unclear, the client looks the \`request_id\` up in \`${row.foundBy}\`.`
    case 'by request_id of items':
      return 'Retried after any fault: the platform ignores items whose `request_id` it has already seen.'
    case 'as it is':
      return 'Retried after any fault.'
    case undefined:
      return 'Not retried if it may have arrived: the call then ends as `Ambiguous`.'
  }
}

export const paging = ({ paging }: AnyEndpoint): string | undefined =>
  paging === undefined
    ? undefined
    : `\`${paging.style === 'number' ? 'page_num` and `has_more' : 'page` and `page_after'}\`, with ${paging.size?.toLocaleString('en')} rows per page by default`

const list = (values: ReadonlyArray<string>): string =>
  values.length > 40
    ? `${values.slice(0, 5).map(quoted).join(', ')} and ${values.length - 5} more`
    : values.map(quoted).join(', ')

const quoted = (value: string): string => `\`${value}\``

/** Describes bounds, separately if the lower one is marked differently from the upper one. */
const range = (
  schema: JsonSchema,
  unit: string,
  lower: 'minLength' | 'minimum' | 'minItems',
  max: number | undefined,
): ReadonlyArray<string> => {
  const min = schema[lower]
  const mark = markOf(schema, lower)
  const least = `at least ${min} ${min === 1 ? unit.replace(/s$/, '') : unit}`.trim() + mark
  const most = `up to ${max} ${unit}`.trim()
  if (max === undefined) return min === undefined ? [] : [least]
  if (min === undefined) return [most]
  return mark === '' ? [`${min} to ${max} ${unit}`.trim()] : [most, least]
}

const openList = (schema: JsonSchema): string => {
  const known = schema['x-extensible-enum']
  if (known === undefined) return ''
  if (schema['x-not-specified-values'] !== undefined) {
    return 'an [event type](events.md), or one added later'
  }
  return `${known.length > 11 ? `${list(known.slice(0, 3))} and ${known.length - 3} more` : list(known)}, or a value added later`
}

const lengthOf = (schema: JsonSchema): ReadonlyArray<string> =>
  schema.minLength === 1 && schema.maxLength === undefined
    ? [`not empty${markOf(schema, 'minLength')}`]
    : range(schema, 'characters', 'minLength', schema.maxLength)

/** Returns the rules of a single value besides its type, each as text. */
const rules = (schema: JsonSchema): ReadonlyArray<string> => [
  schema.enum === undefined ? '' : `one of ${list(schema.enum)}`,
  openList(schema),
  ...lengthOf(schema),
  ...range(schema, 'items', 'minItems', schema.maxItems),
  ...range(schema, '', 'minimum', schema.maximum),
  schema.pattern === undefined ? '' : `${patternWords(schema.pattern)}${markOf(schema, 'pattern')}`,
  schema.maxProperties === 0 ? 'empty' : '',
  schema.default === undefined ? '' : `${list([schema.default].flat().map(String))} by default`,
]

const bare = (text: string): string => text.replaceAll(/(?<=\d),(?=\d{3})|`/g, '').toLowerCase()

/** Returns the note of a single value, followed by the rules that the note does not state. */
export const rule = (schema: JsonSchema): string => {
  const note = schema.description ?? ''
  const known = bare(note)
  const more = rules(schema)
    .filter((part) => part !== '' && !known.includes(bare(part)))
    .filter((part) => !(part.endsWith('by default') && /left out|omitted|default/.test(known)))
    .filter((part) => !(part === 'at least 0' && known.includes('from 0')))
  const inside = schema.items === undefined ? '' : rule(schema.items)
  const tail = [...more, ...(inside === '' ? [] : [inside])].join('; ')
  return [note, tail === '' ? '' : sentence(tail)].filter((part) => part !== '').join(' ')
}

const sentence = (text: string): string =>
  `${text.replace(/^[a-z]/, (first) => first.toUpperCase())}${/[.*]$/.test(text) ? '' : '.'}`

/** Returns the mark of a rule of a value if the rule is our assumption. */
const markOf = ({ 'x-not-specified': marked }: JsonSchema, what: string): string =>
  Array.isArray(marked) && marked.includes(what) ? MARK : ''

/** Describes patterns that have a common name. */
const patternWords = (pattern: string): string =>
  pattern.includes('T(')
    ? `${pattern.startsWith('^$|') ? 'empty, or ' : ''}ISO 8601 ${pattern.includes('(T(') ? 'date or time' : 'date and time'}`
    : (known[pattern] ?? `matches \`${pattern.replaceAll('|', '\\|')}\``)

const known: Readonly<Record<string, string>> = {
  '^[A-Z]{3}$': 'ISO 4217 code',
  '^[A-Z]{2}$': 'ISO 3166 code',
  '^\\d{4}-\\d\\d-\\d\\d$': 'YYYY-MM-DD',
  '^\\d+(\\.\\d+)?$': 'plain decimal text, such as `9.99`, or a number',
  '^0*[1-9]\\d*$': 'positive whole number as text, in the smallest unit',
  '^\\d{12,19}$': '12 to 19 digits; spaces and hyphens are removed',
  '^[!-~]+$': 'printable ASCII',
  '^[!-~]([ -~]*[!-~])?$': 'printable ASCII',
  '^[A-Za-z0-9]{8}([A-Za-z0-9]{3})?$': '8 or 11 letters and digits',
}

/** Describes the type of a value in a word or two. Named objects link to their section in the reference. */
export const typeOf = (schema: JsonSchema): string => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return `[${name}](objects.md#${name.toLowerCase()})`
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.allOf !== undefined) return schema.allOf.map(typeOf).join(' and ')
  return [schema.type ?? 'anything']
    .flat()
    .map((type) => (type === 'array' ? `list of ${typeOf(schema.items ?? {})}` : type))
    .join(' or ')
}
