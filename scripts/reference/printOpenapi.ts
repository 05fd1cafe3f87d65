/** `docs/openapi.json`: an OpenAPI 3.1 description, printed from the rows and the codecs. */
import { method, template } from '../../src/api/Endpoint.js'
import { type CallDoc, calls, type Parameter } from './calls.js'
import { type EventFamily, eventFamilies } from './events.js'
import { answered, sent } from './named.js'
import { requiredByUs } from './ours.js'
import { CREDENTIALS, meanings, type Refusal, refusals } from './refusals.js'
import { schemaOf, shapeOf } from './schemaOf.js'
import { type JsonSchema, NOT_SPECIFIED, replay } from './words.js'

// schemas that are not a single codec in `src/codec`

const text: JsonSchema = { type: 'string' }

const problem: JsonSchema & { readonly description: string } = {
  description: `The body of an error response (${NOT_SPECIFIED}).`,
  type: 'object',
  properties: {
    code: text,
    message: text,
    source: { ...text, description: 'The invalid field.' },
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

const parameter = ({ name, place, schema: noted, required }: Parameter) => {
  const { description, ...schema } = noted
  const header = place.startsWith('header ') ? place.slice('header '.length) : undefined
  return {
    name: header ?? name,
    in: header === undefined ? place : 'header',
    required,
    ...(description === undefined ? {} : { description }),
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
    const said = [whole.schema.description, ...own].filter((words) => words !== undefined)
    return { ...whole.schema, ...(said.length === 0 ? {} : { description: said.join(' ') }) }
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
  // any body of any type, or none: an undescribed response is never an error
  if (row.answer === 'anything') return { description: 'Success, with any body or none.' }
  const schema = schemaOf(row.success)
  const { paging } = row
  const content = json(paging === undefined ? schema : pageOf(paging.style, schema))
  return { description: 'Success.', content }
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

/** A delivery to the URL of a webhook. The API description shows the names of events and the content of `data`. */
const delivery = ({ title, names, tag, codec, isOurs }: EventFamily) => ({
  post: {
    operationId: `deliver.${tag}`,
    tags: ['events'],
    summary: title,
    parameters: [
      optionalHeader('x-timestamp', 'Time of signing, in ms since 1970', text),
      optionalHeader('x-signature', 'HMAC-SHA256 of the timestamp and the raw body, in hex', text),
    ],
    requestBody: {
      required: true,
      content: json({
        type: 'object',
        required: ['id', 'name', 'data'],
        properties: {
          id: { ...text, 'x-not-specified': true },
          name: { ...text, 'x-extensible-enum': names, 'x-not-specified': true },
          data: schemaOf(codec),
          account_id: ours(nullableText),
          org_id: ours(nullableText),
          source_id: ours(nullableText),
          created_at: ours(nullableText),
          version: ours(nullableText),
        },
      }),
    },
    responses: { '200': { description: `Received (${NOT_SPECIFIED}).` } },
    ...(isOurs ? { 'x-not-specified': ['name', 'data'] } : {}),
  },
})

const nullableText: JsonSchema = { type: ['string', 'null'] }

const ours = (schema: JsonSchema): JsonSchema => ({ ...schema, 'x-not-specified': true })

const schemaRef = (name: string): JsonSchema => ref('schemas', name)

const paths = () => {
  const all: Record<string, Record<string, unknown>> = {}
  for (const call of calls) {
    const path = template(call.row.route)
    all[path] = { ...all[path], [method(call.row.route).toLowerCase()]: operation(call) }
  }
  return all
}

/** Marks fields that the API description does not say are required. */
const markRequired = (schema: JsonSchema, notes: Readonly<Record<string, string>>): JsonSchema => ({
  ...schema,
  ...(schema.properties === undefined
    ? {}
    : {
        properties: Object.fromEntries(
          Object.entries(schema.properties).map(([name, property]) => [
            name,
            notes[name] === undefined
              ? property
              : { ...property, description: notes[name], 'x-not-specified': ['required'] },
          ]),
        ),
      }),
})

const schemas = (): Readonly<Record<string, JsonSchema>> => ({
  ...Object.fromEntries(
    Object.entries({ ...answered, ...sent }).map(([name, codec]) => [
      name,
      markRequired(shapeOf(codec), requiredByUs[name] ?? {}),
    ]),
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
    description: `Generated from the source of payments-rx. Every object may have further fields. The mark x-not-specified on a call, field or rule means ${NOT_SPECIFIED}.`,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [
    { url: '{base_url}', variables: { base_url: { default: 'https://platform.example' } } },
  ],
  tags: [...new Set([...calls.map(({ resource }) => resource), 'events'])].map((name) => ({
    name,
  })),
  paths: paths(),
  webhooks: Object.fromEntries(eventFamilies.map((family) => [family.tag, delivery(family)])),
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
