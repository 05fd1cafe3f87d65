/** The pages of `docs/reference`, printed from the rows. */

import * as t from 'io-ts'
import { method, template } from '../../src/api/Endpoint.js'
import { type CallDoc, calls } from './calls.js'
import { printEvents } from './events.js'
import { answered, nameOf, paramsName, sent } from './named.js'
import { requiredByUs } from './ours.js'
import { refusals } from './refusals.js'
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

/** The fields of an object, and those of the objects inside it that have no name of their own. */
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

/** Prints the alternatives: "`a` or `b` is needed." */
const alternatives = ({ allOf = [], anyOf = [] }: JsonSchema): ReadonlyArray<string> => [
  ...(anyOf.some(({ required }) => required !== undefined)
    ? [
        `${anyOf.map(({ required = [] }) => required.map((name) => `\`${name}\``).join(' and ')).join(' or ')} is needed.`,
      ]
    : []),
  ...allOf.flatMap(alternatives),
]

const unspecified = (call: CallDoc, part: CallDoc['row']['unspecified'][number]): string =>
  call.row.unspecified.includes(part) ? ` (${NOT_SPECIFIED})` : ''

/** A name as TypeScript has it: with `?` if it may be left out, or missing. */
const named = (name: string, isRequired: boolean): string => `\`${name}${isRequired ? '' : '?'}\``

const isMade = ({ row }: CallDoc, name: string): boolean =>
  name === 'request_id' && row.repeatable === 'by request_id'

const parameters = (call: CallDoc): string =>
  call.parameters.length === 0
    ? `No parameters${unspecified(call, 'params')}.`
    : [
        `Parameters${unspecified(call, 'params')}:`,
        '',
        table(
          ['Name', 'Type', 'Notes'],
          call.parameters.map(({ name, place, schema, required }) => [
            named(name, required && !isMade(call, name)),
            `${typeOf(schema)}, ${place}`,
            rule(schema),
          ]),
        ),
      ].join('\n')

const success = (call: CallDoc): string => {
  const { status, success } = call.row
  const type =
    call.row.answer === 'anything'
      ? 'whatever the service acknowledges with: JSON, text or nothing'
      : call.row.paging === undefined
        ? typeOf(schemaOf(success))
        : `${typeOf(schemaOf(success))}, one by one`
  return `Success: ${status}, ${type}${unspecified(call, 'success')}.`
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

const TAGS: Readonly<Record<string, string>> = {
  401: 'Unauthorized',
  429: 'Throttled',
  500: 'ServerFault',
}

const failures = ({ row }: CallDoc): ReadonlyArray<string> => {
  const listed = refusals(row).filter(({ isListed }) => isListed)
  const words = listed.map(({ status, codes: named }) =>
    [`\`${TAGS[status] ?? 'Refused'}\``, status, codes(named)].join(' ').trim(),
  )
  const own = [
    ...(row.paging === undefined ? [] : ['`Truncated` if it is not read to its end']),
    ...(method(row.route) === 'GET' || row.auth === 'none'
      ? []
      : ['`Ambiguous` if it may have been done']),
  ]
  const seen = refusals(row).flatMap(({ status, seen: some }) =>
    some.length === 0 ? [] : [`Seen besides, with ${status}: ${codes(some)} (${NOT_SPECIFIED}).`],
  )
  return [
    `Failures: ${[...words, ...own].join('; ')}; and those of [every call](index.md).`,
    ...seen,
  ]
}

const AUTH = {
  bearer: 'Bearer token.',
  basic: 'Basic authentication.',
  none: 'The keys go into headers.',
} as const

const example = ({ resource, name }: CallDoc): ReadonlyArray<string> => {
  const code = snippets[`${resource}.${name}`]
  return code === undefined ? [] : [`\`\`\`ts prints\n${code}\n\`\`\``]
}

const section = (call: CallDoc): string => {
  const page = paging(call.row)
  return [
    `## ${call.name}`,
    `\`${call.row.route}\``,
    call.comment.replaceAll(/ \(interface[^)]*\)/g, ''),
    ...(call.resource === 'authentication' ? [] : [signature(call)]),
    parameters(call),
    ...call.rules,
    success(call),
    ...failures(call),
    ...(page === undefined ? [] : [`Pages: ${page.slice(0, -1)}${unspecified(call, 'paging')}.`]),
    `${replay(call.row)} ${AUTH[call.row.auth]}`,
    ...example(call),
  ].join('\n\n')
}

const shape = ([name, codec]: readonly [string, Parameters<typeof shapeOf>[0]]): string => {
  const found = shapeOf(codec)
  const byUs = requiredByUs[name] ?? {}
  return [
    `## ${name}`,
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
  /** The calls made of several requests, which have no row. */
  readonly besides?: string
}

const pages: Readonly<Record<string, Page>> = {
  charges: {
    file: 'charges.md',
    title: 'Charges',
    words:
      'A platform charges a connected account and credits its own wallet. The account to be charged (the source) must have passed KYC and be in state ACTIVE. Which status follows which is not shown, except that a new charge is `NEW`.',
    besides: '`createOnce` and `untilState`',
  },
  batchTransfers: {
    file: 'batch-transfers.md',
    title: 'Batch transfers',
    words:
      'Several transfers, paid with one deduction from one funding source: the wallet, or a linked account that is debited. A batch is created first, then items are added, up to 1,000, while it is in `DRAFTING`. Other transitions are not shown by the interface: [defaults](defaults.md#batch-transfers).',
    besides: '`createOnce`, `addAllItems` and `untilState`',
  },
  reference: {
    file: 'reference-data.md',
    title: 'Reference data',
    words:
      'Industries, conversion dates, currencies, limits and a way to raise them by sales orders, and the ranges of cards.',
    besides: '`uploadAll`',
  },
  webhooks: {
    file: 'webhooks.md',
    title: 'Webhooks',
    words:
      'Subscriptions of a URL to [events](events.md) of this account. The events of a webhook cannot be changed after it is created; the scopes of the API key decide which are accepted. `payments-rx/webhooks` [verifies deliveries](../webhooks.md).',
  },
  partnerWebhooks: {
    file: 'partner-webhooks.md',
    title: 'Partner webhooks',
    words:
      'Subscriptions of an OAuth application to the events of accounts that authorized it. They take HTTP Basic authentication, with `client_id:client_secret` of the application: the option `partner`.',
  },
  authentication: {
    file: 'authentication.md',
    title: 'Authentication',
    words:
      'The client logs in by itself, when it first needs a token and whenever one ends: `payments` has no such table. A token is valid for 30 minutes, and the login allows 100 requests a minute for each API key.',
  },
}

const resources = Object.entries(pages)

const ofResource = (name: string): ReadonlyArray<CallDoc> =>
  calls.filter(({ resource }) => resource === name)

const resourcePage = ([resource, { title, words, besides }]: readonly [string, Page]): string => {
  const opening = openings[resource]
  return [
    `# ${title}`,
    words,
    ...(besides === undefined
      ? []
      : [
          `Beside these: ${besides}, [calls of several requests](../client.md#calls-of-several-requests).`,
        ]),
    ...(opening === undefined
      ? []
      : ['The examples of this page are one program:', `\`\`\`ts prints\n${opening}\n\`\`\``]),
    ...ofResource(resource).map(section),
  ].join('\n\n')
}

const index = (): string =>
  [
    '# Calls',
    `This page lists every call of the interface, printed from the rows that the client is made of. Each takes one object and returns one stream. \`payments.request(endpoint(...))\` makes [a call that is not here](client.md#undocumented-calls). [Defaults](defaults.md) gives the reason for everything marked "${NOT_SPECIFIED}" or with a star. [openapi.json](../openapi.json) has the same as data.`,
    'A parameter with `?` may be left out. Every call may fail with `InvalidRequest` (nothing was sent), `Unauthorized` (401), `Refused` (another 4xx), `Throttled` (429), `ServerFault` (5xx), `Unreachable`, `TimedOut` and `Undecodable`; a write also with `Ambiguous`, a list with `Truncated`. [Failures](../failures.md) says what is tried before.',
    ...resources.flatMap(([resource, { file, title }]) => [
      `## ${title}`,
      table(
        ['Call', 'Method and path', ''],
        ofResource(resource).map(({ name, row, comment }) => [
          `[\`${name}\`](${file}#${name.toLowerCase()})`,
          `\`${method(row.route)} ${template(row.route)}\``,
          comment.replaceAll(/ \((?:interface|its direction)[^)]*\)/g, ''),
        ]),
      ),
    ]),
    '## Besides',
    [
      '- [What comes back](responses.md): the objects of responses',
      '- [What is sent](parameters.md): objects inside of parameters',
      '- [Events](events.md) of webhooks',
      '- [Versions](versions.md) of the interface, and what each touches here',
      '- [Defaults](defaults.md) where the interface document is silent',
      '- Options: [of a client](client.md), with its events; [of an export](exports.md), with errors, manifest and progress; [of the scheduler](scheduler.md); [of streams](streams.md); [of the sandbox](sandbox.md); and [the fields of `bench --json`](bench.md)',
      '- [Refusals of destinations](refusals.md): whether the same command again helps, or what to do',
      '- [Telemetry](telemetry.md): spans and metrics',
    ].join('\n'),
  ].join('\n\n')

const responses = (): string =>
  [
    '# What comes back',
    `The objects of responses. A field with \`?\` may be missing. Fields and values that were added later pass through as they are. A star marks what is a ${NOT_SPECIFIED}.`,
    ...Object.entries(answered).map(shape),
  ].join('\n\n')

const sentPage = (): string =>
  [
    '# What is sent',
    `Objects inside of parameters. A field with \`?\` may be left out. A star marks what is a ${NOT_SPECIFIED}.`,
    ...Object.entries(sent).map(shape),
  ].join('\n\n')

/** The text of each page, by its file name. */
export const printReference = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [
      ['index.md', index()] as const,
      ...resources.map((page) => [page[1].file, resourcePage(page)] as const),
      ['responses.md', responses()] as const,
      ['parameters.md', sentPage()] as const,
      ['events.md', printEvents()] as const,
      ['versions.md', printVersions()] as const,
    ].map(([file, text]) => [file, `${text}\n`] as const),
  )
