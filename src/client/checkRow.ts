/** Checks custom endpoints at run time, as the compiler does in TypeScript. */
import type { AnyEndpoint } from '../api/Endpoint.js'
import { fieldsOf } from '../decode/unknown.js'
import {
  checkOptions,
  InvalidOption,
  is,
  type OptionRule,
  type OptionsTable,
  type Required,
  required,
} from '../options/index.js'

const route: OptionRule = is.stringThat(
  (text) => /^(GET|POST) \/[^\s?#]*$/.test(text),
  "GET or POST and a path without a query, such as 'GET /api/v1/charges/{id}'",
)

const codec = is.withMethods('an io-ts codec', 'decode', 'validate', 'encode')

const paging: OptionRule = {
  accepts: (u) =>
    is.isObject(u) &&
    ['number', 'cursor'].includes(Reflect.get(u, 'style')) &&
    is.isObject(Reflect.get(u, 'first')),
  expected: 'byNumber(size) or byCursor(size)',
}

const optional = (rule: OptionRule): Required =>
  required({ ...rule, accepts: (u) => u === undefined || rule.accepts(u) })

/** The name of a header is a token (RFC 9110, 5.6.2). */
const HEADER = /^header [\w!#$%&'*+.^`|~-]+$/

const queryOrHeader = is.stringThat(
  (text) => text === 'query' || HEADER.test(text),
  "'query' or a header such as 'header x-name'",
)

const anyPlace = is.stringThat(
  (text) => text === 'whole body' || queryOrHeader.accepts(text),
  "'query', 'whole body' or a header such as 'header x-name'",
)

const names = is.arrayOf(is.string, 'a list of strings')

const rulesOf = (isPost: boolean): OptionsTable<AnyEndpoint> => ({
  route: required(route),
  params: required(codec),
  success: required(codec),
  status: required({ accepts: (u) => u === 200 || u === 201, expected: '200 or 201' }),
  errors: required(is.recordOf(names, 'an object with a list of error codes for each status')),
  otherErrors: required(names),
  answer: required(is.oneOf('json', 'anything')),
  noContent: optional(is.object('an object with the fields of the outcome')),
  paging: optional(paging),
  at: required(
    is.recordOf(isPost ? anyPlace : queryOrHeader, 'an object with the place of each parameter'),
  ),
  repeatable: optional(is.oneOf('by request_id', 'by request_id of items', 'as it is')),
  rules: optional(is.fn()),
  foundBy: optional({
    accepts: (u) => route.accepts(u) || (is.isObject(u) && route.accepts(Reflect.get(u, 'route'))),
    expected: 'the route of an API list, or the endpoint of your own list',
  }),
  knownBy: required({
    accepts: (u) => typeof u === 'function' || names.accepts(u),
    expected: 'a list of strings, or a function',
  }),
  auth: required(is.oneOf('bearer', 'basic', 'none')),
  unspecified: required(names),
})

/** Returns the endpoint. Throws an `InvalidOption` if it is invalid. */
export const checkedRow = (row: AnyEndpoint): AnyEndpoint => {
  const rules = rulesOf(String(fieldsOf(row).route).startsWith('POST '))
  checkOptions(row, rules, { context: 'request: ', allowUnknown: () => true })
  const { repeatable, at } = row
  if (
    repeatable === 'by request_id' &&
    Object.values(at).includes('whole body') &&
    at.request_id === undefined
  ) {
    const expected = "'query' or a header, because another parameter is the whole body"
    throw new InvalidOption('at.request_id', expected, 'request: ')
  }
  return row
}
