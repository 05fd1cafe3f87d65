/** `docs/api.md`, printed from the rows. */

import { type CallDoc, calls } from './calls.js'
import { printEvents } from './events.js'
import { answered, sent } from './named.js'
import { refusals } from './refusals.js'
import { type JsonSchema, schemaOf, shapeOf } from './schemaOf.js'
import { MARK, NOT_SPECIFIED, paging, replay, rule, typeOf } from './words.js'

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

const parameters = (call: CallDoc): string =>
  call.parameters.length === 0
    ? `No parameters${unspecified(call, 'params')}.`
    : [
        `Parameters${unspecified(call, 'params')}:`,
        '',
        table(
          ['Name', 'Place', 'Type', 'Required', 'Rule'],
          call.parameters.map(({ name, place, schema, required }) => [
            `\`${name}\``,
            place,
            typeOf(schema),
            name === 'request_id' && call.row.repeatable === 'by request_id'
              ? 'generated'
              : required
                ? 'yes'
                : 'no',
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

const codes = (codes: ReadonlyArray<string>): string =>
  codes.map((code) => `\`${code}\``).join(', ')

const failures = ({ row }: CallDoc): ReadonlyArray<string> => {
  const listed = refusals(row).filter(({ isListed }) => isListed)
  const words = listed.map(({ status, codes: named }) => `${status} ${codes(named)}`.trim())
  const seen = refusals(row).flatMap(({ status, seen: some }) =>
    some.length === 0 ? [] : [`Seen besides, with ${status}: ${codes(some)} (${NOT_SPECIFIED}).`],
  )
  return [`Refusals: ${words.join('; ')}.`, ...seen]
}

const AUTH = {
  bearer: 'Bearer token.',
  basic: 'Basic authentication.',
  none: 'The keys go into headers.',
} as const

const section = (call: CallDoc): string => {
  const page = paging(call.row)
  return [
    `### ${call.resource}.${call.name}`,
    `\`${call.row.route}\``,
    call.comment,
    parameters(call),
    ...call.rules,
    success(call),
    ...failures(call),
    ...(page === undefined ? [] : [`Pages: ${page.slice(0, -1)}${unspecified(call, 'paging')}.`]),
    `${replay(call.row)} ${AUTH[call.row.auth]}`,
  ].join('\n\n')
}

const shape = ([name, codec]: readonly [string, Parameters<typeof shapeOf>[0]]): string => {
  const found = shapeOf(codec)
  return [
    `### ${name}`,
    ...(found.description === undefined ? [] : [found.description]),
    ...alternatives(found),
    table(
      ['Field', 'Type', 'Always there', 'Values'],
      fields(found).map((line) => [
        `\`${line.name}\`${line.isOurs ? MARK : ''}`,
        line.type,
        line.required ? 'yes' : 'no',
        line.rule,
      ]),
    ),
  ].join('\n\n')
}

/** The introduction of a resource before its calls. */
const remarks: Readonly<Record<string, string>> = {
  authentication:
    'The client logs in by itself, when it first needs a token and whenever one ends: `payments` has no such table.',
}

const resources = [...new Set(calls.map(({ resource }) => resource))]

export const printApi = (): string =>
  `${[
    '# Calls',
    `Every call of the interface, printed from its rows in \`src/api\`. Each takes one object and gives one stream; \`payments.request(endpoint(...))\` makes a call that is not here. What is marked "${NOT_SPECIFIED}" is listed with its reason in [gaps.md](gaps.md); so is a field or a rule with a star.`,
    'Besides the codes of its refusals, every call may fail with `InvalidRequest`, `Unauthorized` (401), `Throttled` (429), `ServerFault` (5xx), `Unreachable`, `TimedOut` and `Undecodable`; a write with `Ambiguous`, a list with `Truncated`.',
    ...resources.flatMap((resource) => [
      `## ${resource}`,
      ...(remarks[resource] === undefined ? [] : [remarks[resource]]),
      ...calls.filter((call) => call.resource === resource).map(section),
    ]),
    '## What comes back',
    'Fields and values that were added later pass through as they are.',
    ...Object.entries(answered).map(shape),
    '## What is sent',
    ...Object.entries(sent).map(shape),
    printEvents(),
  ].join('\n\n')}\n`
