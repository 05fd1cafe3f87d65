/** `docs/openapi.json`: an OpenAPI 3.1 description, printed from the rows and the codecs. */
import { method, template } from '../../../src/api/Endpoint.js'
import { type CallDoc, calls, type Parameter } from './calls.js'
import { answered, sent } from './named.js'
import { CREDENTIALS, meanings, type Refusal, refusals } from './refusals.js'
import { type JsonSchema, schemaOf, shapeOf } from './schemaOf.js'
import { NOT_SPECIFIED, replay } from './words.js'

// schemas of what is not in `src/codec` as one codec

const text: JsonSchema = { type: 'string' }

const problem: JsonSchema & { readonly description: string } = {
  description: `What an error answer says (${NOT_SPECIFIED}).`,
  type: 'object',
  properties: {
    code: text,
    message: text,
    source: { ...text, description: 'The field to blame.' },
    trace_id: text,
    details: {},
  },
}

const tooManyRequests: JsonSchema = {
  type: 'object',
  properties: { code: text, message: text, trace_id: text, details: { type: 'object' } },
  required: ['code', 'message', 'trace_id', 'details'],
}

const pageOf = (style: 'number' | 'cursor', items: JsonSchema): JsonSchema => {
  const bookmark: JsonSchema = { type: ['string', 'null'] }
  return style === 'number'
    ? {
        type: 'object',
        properties: { has_more: { type: 'boolean' }, items: { type: 'array', items } },
        required: ['has_more', 'items'],
      }
    : {
        type: 'object',
        properties: {
          items: { type: 'array', items },
          page_after: bookmark,
          page_before: bookmark,
        },
        required: ['items'],
      }
}

// the parts of an operation

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

const json = (schema: JsonSchema) => ({ 'application/json': { schema } })

const parameter = ({ name, place, schema, required }: Parameter) => {
  const header = place.startsWith('header ') ? place.slice('header '.length) : undefined
  return {
    name: header ?? name,
    in: header === undefined ? place : 'header',
    required,
    schema,
    ...(schema.type === 'array' ? { style: 'form', explode: true } : {}),
  }
}

const inBody = ({ place }: Parameter): boolean => place === 'body' || place === 'whole body'

const bodyOf = ({ parameters, rules }: CallDoc): JsonSchema => {
  const fields = parameters.filter(inBody)
  const whole = fields.find(({ place }) => place === 'whole body')
  if (whole !== undefined) {
    const own = rules.map((words) => words.replace(`${whole.name}[].`, ''))
    return { ...whole.schema, ...(own.length === 0 ? {} : { description: own.join(' ') }) }
  }
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  return {
    type: 'object',
    ...(rules.length === 0 ? {} : { description: rules.join(' ') }),
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
  }
}

const successOf = ({ row }: CallDoc) => {
  // any body of any type, or none: what is not described is not held against anything
  if (row.answer === 'anything') return { description: 'Done. Whatever the body is, or none.' }
  const schema = schemaOf(row.success)
  const { paging } = row
  const content = json(paging === undefined ? schema : pageOf(paging.style, schema))
  return { description: 'Done.', content }
}

const refused = ({ status, codes, seen }: Refusal) => {
  if (status === '429') return ref('responses', 'TooManyRequests')
  if (status === '500' && codes.length === 0) return ref('responses', 'ServerFault')
  if (status === '401' && codes === CREDENTIALS) return ref('responses', 'Unauthorized')
  const named = codes.length === 0 ? [] : [`Codes: ${codes.join(', ')}.`]
  const also = seen.length === 0 ? [] : [`Seen: ${seen.join(', ')} (${NOT_SPECIFIED}).`]
  return answer([meanings[status], ...named, ...also].join(' '), 'Problem')
}

const operation = (call: CallDoc) => {
  const { row, resource, name, comment, parameters } = call
  const own = parameters.filter((one) => !inBody(one)).map(parameter)
  const shared = row.auth === 'bearer' ? ['ApiVersion', 'OnBehalfOf'] : []
  return {
    operationId: `${resource}.${name}`,
    tags: [resource],
    summary: comment,
    description: replay(row),
    security: row.auth === 'none' ? [] : [{ [row.auth]: [] }],
    parameters: [...own, ...shared.map((one) => ref('parameters', one))],
    ...(method(row.route) === 'GET'
      ? {}
      : { requestBody: { required: true, content: json(bodyOf(call)) } }),
    responses: {
      [row.status]: successOf(call),
      ...Object.fromEntries(refusals(row).map((one) => [one.status, refused(one)])),
      default: ref('responses', 'Refused'),
    },
    ...(row.unspecified.length === 0 ? {} : { 'x-not-specified': row.unspecified }),
  }
}

const schemaRef = (name: string): JsonSchema => ref('schemas', name)

const paths = () => {
  const all: Record<string, Record<string, unknown>> = {}
  for (const call of calls) {
    const path = template(call.row.route)
    all[path] = { ...all[path], [method(call.row.route).toLowerCase()]: operation(call) }
  }
  return all
}

const schemas = (): Readonly<Record<string, JsonSchema>> => ({
  ...Object.fromEntries(
    Object.entries({ ...answered, ...sent }).map(([name, codec]) => [name, shapeOf(codec)]),
  ),
  Problem: problem,
  TooManyRequests: tooManyRequests,
})

const answer = (description: string, schema: string) => ({
  description,
  content: json(schemaRef(schema)),
})

const optionalHeader = (name: string, description: string, schema: JsonSchema) => ({
  name,
  in: 'header',
  required: false,
  description: `${description} (${NOT_SPECIFIED}).`,
  schema,
})

/** The description, as an object. */
export const openapi = () => ({
  openapi: '3.1.0',
  info: {
    title: 'Payments Platform API',
    version: '1',
    summary: 'Charges, batch transfers, reference data and webhooks.',
    description: `Printed from the rows of payments-rx. Every object is open for further fields. What is marked x-not-specified, a call or a field or a rule, is a ${NOT_SPECIFIED}.`,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [
    { url: '{base_url}', variables: { base_url: { default: 'https://platform.example' } } },
  ],
  tags: [...new Set(calls.map(({ resource }) => resource))].map((name) => ({ name })),
  paths: paths(),
  components: {
    schemas: schemas(),
    parameters: {
      ApiVersion: optionalHeader('x-api-version', 'The API version to answer by', {
        type: 'string',
        pattern: String.raw`^\d{4}-\d\d-\d\d$`,
      }),
      OnBehalfOf: optionalHeader('x-on-behalf-of', 'The connected account to act for', text),
    },
    responses: {
      Unauthorized: answer(`${meanings[401]} Codes: ${CREDENTIALS.join(', ')}.`, 'Problem'),
      TooManyRequests: answer('A limit was exceeded.', 'TooManyRequests'),
      ServerFault: answer(`${meanings[500]}`, 'Problem'),
      Refused: answer('Refused with a status that is not listed.', 'Problem'),
    },
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      basic: { type: 'http', scheme: 'basic' },
    },
  },
})

export const printOpenapi = (): string => `${JSON.stringify(openapi(), null, 2)}\n`
