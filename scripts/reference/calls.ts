/** Every call with the data of its row. Both docs are printed from it. */
import { readdirSync, readFileSync } from 'node:fs'
import { type AnyEndpoint, method, pathNames } from '../../src/api/Endpoint.js'
import { tables } from '../../src/api/index.js'
import { idNotes, inventedRules, parameterNotes, REQUEST_ID_NOTE } from './ours.js'
import { shapeOf } from './schemaOf.js'
import { between, type JsonSchema } from './words.js'

// model

export interface Parameter {
  readonly name: string
  readonly place: NonNullable<AnyEndpoint['at'][string]> | 'path' | 'body'
  readonly required: boolean
  readonly schema: JsonSchema
}

export interface CallDoc {
  readonly resource: string
  readonly name: string
  readonly row: AnyEndpoint
  /** The comment above the row, which editors show in hovers. */
  readonly comment: string
  readonly parameters: ReadonlyArray<Parameter>
  /** Rules between parameters, and rules that depend on the time, as text. */
  readonly rules: ReadonlyArray<string>
}

// constructors

const folder = new URL('../../src/api/', import.meta.url)

const source = readdirSync(folder)
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(new URL(name, folder), 'utf8'))
  .join('\n')

const comments: ReadonlyMap<string, string> = new Map(
  Array.from(
    source.matchAll(/\/\*\* (.+) \*\/\s+(?:export const )?\w+(?: =|:) endpoint\('([^']+)'/g),
    ([, comment = '', route = '']) => [route, comment],
  ),
)

const placeOf = (row: AnyEndpoint, name: string): Parameter['place'] =>
  pathNames(row.route).includes(name)
    ? 'path'
    : (row.at[name] ?? (method(row.route) === 'GET' ? 'query' : 'body'))

const parametersOf = (resource: string, row: AnyEndpoint): ReadonlyArray<Parameter> => {
  const { properties = {}, required = [] } = shapeOf(row.params)
  // the client generates it if the caller omits it
  const made = row.repeatable === 'by request_id' ? ['request_id'] : []
  const all = Object.entries(properties).map(([name, schema]) => ({
    name,
    place: placeOf(row, name),
    required: [...required, ...made].includes(name),
    schema: noted(resource, row, name, schema),
  }))
  return all.sort((a, b) => Number(b.required) - Number(a.required))
}

/** Adds the note of an `id`, and marks rules that the API description does not show. */
const noted = (
  resource: string,
  { route, repeatable }: AnyEndpoint,
  name: string,
  schema: JsonSchema,
): JsonSchema => {
  const marks = inventedRules[route]?.[name] ?? []
  const isMade = name === 'request_id' && repeatable === 'by request_id'
  const description =
    schema.description ??
    parameterNotes[route]?.[name] ??
    (name === 'id' ? idNotes[resource] : isMade ? REQUEST_ID_NOTE : undefined)
  return {
    ...schema,
    ...(description === undefined ? {} : { description }),
    ...(marks.length === 0 ? {} : { 'x-not-specified': marks }),
  }
}

const rulesOf = (row: AnyEndpoint): ReadonlyArray<string> => {
  const timed = (row.rules?.(0) ?? []).map(between)
  const { description } = shapeOf(row.params)
  return [...(description === undefined ? [] : [description]), ...timed]
}

const call = (resource: string, name: string, row: AnyEndpoint): CallDoc => ({
  resource,
  name,
  row,
  comment: comments.get(row.route) ?? '',
  parameters: parametersOf(resource, row),
  rules: rulesOf(row),
})

export const calls: ReadonlyArray<CallDoc> = Object.entries(tables).flatMap(([resource, table]) =>
  Object.entries(table).map(([name, row]) => call(resource, name, row)),
)
