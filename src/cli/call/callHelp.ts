/** Help for one call, taken from the descriptions in `docs/openapi.json`, which is part of the package. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { method, template } from '../../api/Endpoint.js'
import { fieldsOf, isRecord, parsed, wordOf } from '../../decode/unknown.js'
import type { NamedRow } from './rowByName.js'

interface Parameter {
  readonly name: string
  readonly isRequired: boolean
  readonly type: string
  readonly description: string
}

type ParamFields = Readonly<Record<string, unknown>>

/** Returns the help of a call, in lines of at most `columns` characters. */
export const callHelp = async (call: NamedRow, columns: number): Promise<string> => {
  const document = await openapi()
  const { row, name } = call
  const path = fieldsOf(fieldsOf(document.paths)[template(row.route)])
  const operation = fieldsOf(path[method(row.route).toLowerCase()])
  const all = parametersOf(document, call, operation)
  const texts = [wordOf(operation.summary), wordOf(operation.description)]
  const about = texts.flatMap((text) => (text === undefined ? [] : wrapped(text, columns)))
  const usage = all.filter(({ isRequired }) => isRequired).map((one) => ` ${one.name}=...`)
  return [
    `Usage: payments-rx call ${name}${usage.join('')} [options]`,
    '',
    row.route,
    ...about,
    ...(all.length === 0 ? [] : ['', 'Parameters:']),
    ...all.flatMap((one) => parameterLines(one, columns)),
    '',
  ].join('\n')
}

const openapi = async (): Promise<ParamFields> => {
  const root = dirname(createRequire(import.meta.url).resolve('payments-rx/package.json'))
  return fieldsOf(parsed(await readFile(join(root, 'docs/openapi.json'), 'utf8')))
}

const listOf = (u: unknown): ReadonlyArray<unknown> => (Array.isArray(u) ? u : [])

const parametersOf = (
  document: ParamFields,
  { row }: NamedRow,
  operation: ParamFields,
): ReadonlyArray<Parameter> => {
  const inPlace = listOf(operation.parameters).flatMap((one): ReadonlyArray<Parameter> => {
    const { name, required, description, schema } = fieldsOf(one)
    const header = Object.entries(row.at).find(([, place]) => place === `header ${String(name)}`)
    return typeof name === 'string'
      ? [parameter(document, header?.[0] ?? name, required === true, description, schema)]
      : [] // headers common to all calls are options of the command
  })
  const body = fieldsOf(fieldsOf(fieldsOf(operation.requestBody).content)['application/json'])
  const whole = Object.entries(row.at).find(([, place]) => place === 'whole body')?.[0]
  const inBody =
    whole === undefined
      ? fieldsIn(document, body.schema)
      : [parameter(document, whole, true, undefined, body.schema)]
  return [...inPlace, ...inBody].toSorted(
    (a, b) => Number(b.isRequired) - Number(a.isRequired) || 0,
  )
}

const fieldsIn = (document: ParamFields, schema: unknown): ReadonlyArray<Parameter> => {
  const { properties, required, allOf, anyOf } = resolved(document, schema)
  const fields = Object.entries(fieldsOf(properties)).map(([name, field]) =>
    parameter(
      document,
      name,
      listOf(required).includes(name) && name !== 'request_id', // the client generates it
      undefined,
      field,
    ),
  )
  return [
    ...fields,
    ...[...listOf(allOf), ...listOf(anyOf)].flatMap((one) => fieldsIn(document, one)),
  ]
}

const resolved = (document: ParamFields, schema: unknown): ParamFields => {
  const fields = fieldsOf(schema)
  const name = wordOf(fields.$ref)?.replace('#/components/schemas/', '')
  if (name === undefined) return fields
  return fieldsOf(fieldsOf(fieldsOf(document.components).schemas)[name])
}

const parameter = (
  document: ParamFields,
  name: string,
  isRequired: boolean,
  description: unknown,
  schema: unknown,
): Parameter => ({
  name,
  isRequired,
  type: typeOf(document, schema),
  description: wordOf(description) ?? wordOf(fieldsOf(schema).description) ?? '',
})

/** Returns `text`, `number`, `list of text`, `NEW | PENDING` ... */
const typeOf = (document: ParamFields, schema: unknown): string => {
  const { type, enum: values, items, anyOf, const: only } = resolved(document, schema)
  if (Array.isArray(values)) return values.join(' | ')
  if (only !== undefined) return String(only)
  if (Array.isArray(anyOf)) {
    return [...new Set(anyOf.map((one) => typeOf(document, one)))].join(' or ')
  }
  const types = [type].flat().map((one) => TYPES[String(one)] ?? String(one))
  return types.includes('list') && isRecord(items)
    ? (LISTS[String(items.type)] ?? `list of ${typeOf(document, items)}`)
    : types.join(' or ')
}

/** Names of list types, by the type of their items. */
const LISTS: Readonly<Record<string, string>> = { object: 'list of objects (name.0.field=value)' }

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'whole number',
  array: 'list',
  object: 'object (name.field=value)',
  null: 'null',
  undefined: 'any',
}

const parameterLines = (
  { name, isRequired, type, description }: Parameter,
  columns: number,
): ReadonlyArray<string> => [
  `  ${name}${isRequired ? ' (required)' : ''}`,
  ...wrapped(type, columns - 6).map((line) => `      ${line}`),
  ...wrapped(description, columns - 6).map((line) => `      ${line}`),
]

/** Breaks a text into lines of at most `columns` characters, at spaces. */
const wrapped = (text: string, columns: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const word of text.split(/\s+/).filter((one) => one !== '')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= columns) {
      lines[lines.length - 1] = `${last} ${word}`
    } else {
      lines.push(word)
    }
  }
  return lines
}
