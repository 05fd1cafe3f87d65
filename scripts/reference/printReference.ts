/** The pages of `docs/reference`, printed from the rows. */

import * as t from 'io-ts'
import { method, template } from '../../src/api/Endpoint.js'
import { type CallDoc, calls } from './calls.js'
import { defaults, SIGNATURES } from './defaults.js'
import { printEvents } from './events.js'
import { answered, nameOf, paramsName, sent } from './named.js'
import { requiredByUs } from './ours.js'
import { CREDENTIALS, refusals } from './refusals.js'
import { schemaOf, shapeOf } from './schemaOf.js'
import { openings, snippets } from './snippets.js'
import { printVersions } from './versions.js'
import { type JsonSchema, MARK, NOT_SPECIFIED, paging, replay, rule, typeOf } from './words.js'

interface Line {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly rule: string
  /** True if it is our default. */
  readonly isOurs: boolean
}

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

const inner = (schema: JsonSchema): JsonSchema => {
  const alternative = schema.anyOf?.[0]
  return schema.items !== undefined
    ? inner(schema.items)
    : alternative !== undefined && schema.anyOf?.length === 2 && schema.anyOf[1]?.type === 'null'
      ? inner(alternative)
      : schema
}

const unique = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> =>
  lines.filter((line, i) => lines.findIndex(({ name }) => name === line.name) === i)

/** Returns the fields of an object, including those of unnamed objects inside it. */
const fields = (schema: JsonSchema, at = ''): ReadonlyArray<Line> => {
  const { properties = {}, required = [], allOf = [], anyOf = [] } = schema
  const own = Object.entries(properties).flatMap(([name, property]) => {
    const path = `${at}${name}`
    const isList = [property.type].flat().includes('array')
    const line = {
      name: path,
      type: typeOf(property),
      required: required.includes(name),
      rule: rule(property),
      isOurs: property['x-not-specified'] === true,
    }
    return [line, ...fields(inner(property), `${path}${isList ? '[]' : ''}.`)]
  })
  const whole = allOf.flatMap((part) => fields(part, at))
  const either = anyOf.flatMap((part) =>
    fields(part, at).map((line) => ({ ...line, required: false })),
  )
  return unique([...own, ...whole, ...either])
}

/** Prints the alternatives: "`a` or `b` is required." */
const alternatives = ({ allOf = [], anyOf = [] }: JsonSchema): ReadonlyArray<string> => [
  ...(anyOf.some(({ required }) => required !== undefined)
    ? [
        `${anyOf.map(({ required = [] }) => required.map((name) => `\`${name}\``).join(' and ')).join(' or ')} is required.`,
      ]
    : []),
  ...allOf.flatMap(alternatives),
]

const PARTS = { params: 'the parameters', success: 'the response', paging: 'the paging' } as const

/** Names the parts of a call that the API description does not specify. */
const unspecified = ({ row }: CallDoc): ReadonlyArray<string> => {
  const parts = (['params', 'success', 'paging'] as const).filter((part) =>
    row.unspecified.includes(part),
  )
  if (parts.length === 0) return []
  return [
    `Our assumption, not specified in the API description: ${parts.map((part) => PARTS[part]).join(', ')}.`,
  ]
}

/** Returns a name as TypeScript writes it, with `?` if it may be omitted. */
const named = (name: string, isRequired: boolean): string => `\`${name}${isRequired ? '' : '?'}\``

const isMade = ({ row }: CallDoc, name: string): boolean =>
  name === 'request_id' && row.repeatable === 'by request_id'

const parameters = (call: CallDoc): string =>
  call.parameters.length === 0
    ? 'No parameters.'
    : table(
        ['Name', 'Type', 'Notes'],
        call.parameters.map(({ name, place, schema, required }) => [
          named(name, required && !isMade(call, name)),
          `${typeOf(schema)}, ${place}`,
          rule(schema),
        ]),
      )

const success = (call: CallDoc): string => {
  const { status, success } = call.row
  const type =
    call.row.answer === 'anything'
      ? 'the body as JSON or text, or nothing'
      : typeOf(schemaOf(success))
  const pages = paging(call.row)
  return pages === undefined
    ? `Returns: ${type}${status === 200 ? '' : `, with status ${status}`}.`
    : `Emits: ${type}, one per row. Pages: ${pages}.`
}

/** The call with its types: `payments.charges.retrieve(params: ById): ObservableEither<Failure, Charge>`. */
const signature = ({ resource, name, row, parameters }: CallDoc): string => {
  const optional = parameters.some(({ required }) => required) ? '' : '?'
  const params = parameters.length === 0 ? '' : `params${optional}: ${paramsName(row.params)}`
  const one = row.success instanceof t.ArrayType ? row.success.type : row.success
  const named = row.answer === 'anything' ? 'unknown' : nameOf.get(one)
  const success = row.success instanceof t.ArrayType ? `Array<${named}>` : named
  const stream = row.paging === undefined ? 'ObservableEither' : 'List'
  return `\`payments.${resource}.${name}(${params}): ${stream}<Failure, ${success}>\``
}

const codes = (codes: ReadonlyArray<string>): string =>
  codes.map((code) => `\`${code}\``).join(', ')

/** The errors of every call, listed on the index page. */
const COMMON: Readonly<Record<string, string>> = {
  401: codes(CREDENTIALS),
  429: codes(['too_many_requests']),
  500: '',
}

const failures = ({ row }: CallDoc): ReadonlyArray<string> => {
  const listed = refusals(row).filter(
    ({ status, isListed, codes: named }) => isListed && codes(named) !== COMMON[status],
  )
  const words = listed.map(({ status, codes: named }) => `${status} ${codes(named)}`.trim())
  const seen = refusals(row).flatMap(({ status, seen: some }) =>
    some.length === 0 ? [] : [`Other ${status} codes seen: ${codes(some)} (${NOT_SPECIFIED}).`],
  )
  return [...(words.length === 0 ? [] : [`Errors: ${words.join('; ')}.`]), ...seen]
}

/** Says whether a write is retried. For reads, the index says so. */
const retries = ({ row }: CallDoc): ReadonlyArray<string> =>
  method(row.route) === 'GET' ? [] : [replay(row)]

const example = ({ resource, name }: CallDoc): ReadonlyArray<string> => {
  const code = snippets[`${resource}.${name}`]
  return code === undefined ? [] : [`\`\`\`ts prints\n${code}\n\`\`\``]
}

const section = (call: CallDoc): string =>
  [
    `## ${call.name}`,
    `\`${call.row.route}\``,
    call.comment,
    ...(call.resource === 'authentication' ? [] : [signature(call)]),
    parameters(call),
    ...call.rules,
    success(call),
    ...failures(call),
    ...retries(call),
    ...unspecified(call),
    ...example(call),
  ].join('\n\n')

const ours = (resource: string): ReadonlyArray<string> => {
  const rows = defaults[resource]
  return rows === undefined
    ? []
    : [
        '## Defaults',
        'The API description does not specify these, so they are our defaults:',
        table(['Topic', 'Default', 'How to change it'], rows),
      ]
}

const shape = ([name, codec]: readonly [string, Parameters<typeof shapeOf>[0]]): string => {
  const found = shapeOf(codec)
  const byUs = requiredByUs[name] ?? {}
  return [
    `### ${name}`,
    ...(found.description === undefined ? [] : [found.description]),
    ...alternatives(found),
    table(
      ['Name', 'Type', 'Notes'],
      fields(found).map((line) => [
        `${named(line.name, line.required)}${line.isOurs ? MARK : ''}`,
        line.type,
        byUs[line.name] === undefined ? line.rule : `${byUs[line.name]} Required${MARK}`,
      ]),
    ),
  ].join('\n\n')
}

interface Page {
  readonly file: string
  readonly title: string
  readonly words: string
  /** Text after the calls. */
  readonly more?: string
}

const pages: Readonly<Record<string, Page>> = {
  charges: {
    file: 'charges.md',
    title: 'Charges',
    words:
      'A charge debits a connected account and credits your own wallet. The account to be charged (the `source`) must have passed KYC and be `ACTIVE`. A new charge is `NEW`; the API description does not document later transitions. `createOnce` and `untilState` each [send several requests](../client.md#calls-of-several-requests).',
  },
  batchTransfers: {
    file: 'batch-transfers.md',
    title: 'Batch transfers',
    words:
      'A batch holds several transfers, which are paid with one deduction from one funding source: the wallet, or a linked account. Create a batch, then add up to 1,000 items while it is in `DRAFTING`. To pay many items, use [`payAll`](../payments.md#from-code). `createOnce`, `addAllItems` and `untilState` each [send several requests](../client.md#calls-of-several-requests).',
  },
  reference: {
    file: 'reference-data.md',
    title: 'Reference data',
    words:
      'These calls return industries, conversion dates, currencies, limits and card ranges, and upload the orders that raise a limit. `uploadAll` [sends several requests](../client.md#calls-of-several-requests).',
  },
  webhooks: {
    file: 'webhooks.md',
    title: 'Webhooks',
    words:
      'A webhook subscribes a URL to [events](events.md) of your account. You cannot change its events after you create it, and the scopes of the API key decide which events are accepted. `payments-rx/webhooks` [verifies deliveries](../webhooks.md).',
    more: SIGNATURES,
  },
  partnerWebhooks: {
    file: 'partner-webhooks.md',
    title: 'Partner webhooks',
    words:
      'A partner webhook subscribes an OAuth application to the events of accounts that authorized it. These calls use HTTP Basic authentication with the id and secret of the application, which you pass in the option `partner`.',
  },
  authentication: {
    file: 'authentication.md',
    title: 'Authentication',
    words:
      'The client logs in on first use and refreshes the token before it expires. You never call `login` yourself; `payments` does not have it. A token is valid for 30 minutes, and an API key may log in 100 times per minute.',
  },
}

const resources = Object.entries(pages)

const ofResource = (name: string): ReadonlyArray<CallDoc> =>
  calls.filter(({ resource }) => resource === name)

const resourcePage = ([resource, { title, words, more }]: readonly [string, Page]): string => {
  const opening = openings[resource]
  return [
    `# ${title}`,
    words,
    ...(opening === undefined
      ? []
      : ['The examples on this page are one program:', `\`\`\`ts prints\n${opening}\n\`\`\``]),
    ...ofResource(resource).map(section),
    ...(more === undefined ? [] : [more]),
    ...ours(resource),
  ].join('\n\n')
}

const index = (): string =>
  [
    '# Every call',
    `The *Payments Platform* is an HTTP API that charges connected accounts, pays out batches of transfers, and sends events to webhooks. This page describes its calls and is generated from the source of the client; [openapi.json](../openapi.json) has the same description for tools. \`payments.request(endpoint(...))\` makes [a call that is not listed](client.md#undocumented-calls).`,
    `Each call takes one object and returns one stream. A name with \`?\` is optional. A star marks our assumption about something that the API description does not specify: the platform may behave differently.`,
    'Any call may fail with `InvalidRequest` (nothing was sent), `Unauthorized` (401 `credentials_invalid`, `credentials_expired`), `Refused` (another 4xx), `Throttled` (429 `too_many_requests`), `ServerFault` (5xx), `Unreachable`, `TimedOut` and `Undecodable`; a write can also fail with `Ambiguous`, and a list with `Truncated`: see [Failures](../failures.md). A GET is retried after any fault; the section of each write says when it is retried.',
    ...resources.flatMap(([resource, { file, title }]) => [
      `## ${title}`,
      table(
        ['Call', 'Method and path', ''],
        ofResource(resource).map(({ name, row, comment }) => [
          `[\`${name}\`](${file}#${name.toLowerCase()})`,
          `\`${method(row.route)} ${template(row.route)}\``,
          comment.replaceAll(/ \(ascending[^)]*\)/g, ''),
        ]),
      ),
    ]),
    '## See also',
    [
      '- [Objects](objects.md) in requests and responses, and [events](events.md) of webhooks',
      '- [Versions](versions.md) of the API, and how to upgrade',
      '- [Defaults](defaults.md) that apply to every call',
      '- Options: [client](client.md), [exports](exports.md), [scheduler](../scheduler.md#options), [streams](../streams.md#options-of-paginate), [sandbox](sandbox.md), [`bench --json`](../measure.md#fields-of---json)',
      '- [Error codes of destinations](refusals.md): retry, or fix the cause first',
    ].join('\n'),
  ].join('\n\n')

const objects = (): string =>
  [
    '# Objects',
    'A name with `?` is optional. A star marks our assumption about something that the API description does not specify.',
    '## In responses',
    'Fields and values that the API adds later pass through.',
    ...Object.entries(answered).map(shape),
    '## In requests',
    ...Object.entries(sent).map(shape),
  ].join('\n\n')

/** The text of each page, by its file name. */
export const printReference = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [
      ['index.md', index()] as const,
      ...resources.map((page) => [page[1].file, resourcePage(page)] as const),
      ['objects.md', objects()] as const,
      ['events.md', printEvents()] as const,
      ['versions.md', printVersions()] as const,
    ].map(([file, text]) => [file, `${text}\n`] as const),
  )
