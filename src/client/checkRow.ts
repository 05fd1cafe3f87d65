/** Rows of one's own, for code without types: what the compiler says of them otherwise. */
import type { AnyEndpoint } from '../api/Endpoint.js'
import { fieldsOf } from '../decode/unknown.js'
import {
  checkOptions,
  InvalidOption,
  is,
  type OptionsTable,
  type Required,
  type Rule,
  required,
} from '../options/index.js'

const route: Rule = is.stringThat(
  (text) => /^(GET|POST) \/[^\s?#]*$/.test(text),
  "a route such as 'GET /api/v1/charges/{id}': GET or POST, and the path alone",
)

const codec = is.withMethods('an io-ts codec', 'decode', 'validate', 'encode')

const paging: Rule = {
  accepts: (u) =>
    is.isObject(u) &&
    ['number', 'cursor'].includes(Reflect.get(u, 'style')) &&
    is.isObject(Reflect.get(u, 'first')),
  expected: 'byNumber(size) or byCursor(size)',
}

/** What many rows do not say. */
const perhaps = (rule: Rule): Required =>
  required({ ...rule, accepts: (u) => u === undefined || rule.accepts(u) })

/** A header is named by a token (RFC 9110, 5.6.2). */
const HEADER = /^header [\w!#$%&'*+.^`|~-]+$/

const queryOrHeader = is.stringThat(
  (text) => text === 'query' || HEADER.test(text),
  "'query' or a header such as 'header x-name'",
)

/** Where a request has a body. */
const anyPlace = is.stringThat(
  (text) => text === 'whole body' || queryOrHeader.accepts(text),
  "'query', 'whole body' or a header such as 'header x-name'",
)

const names = is.arrayOf(is.string, 'a list of texts')

const rulesOf = (isPost: boolean): OptionsTable<AnyEndpoint> => ({
  route: required(route),
  params: required(codec),
  success: required(codec),
  status: required({ accepts: (u) => u === 200 || u === 201, expected: '200 or 201' }),
  errors: required(is.recordOf(names, 'an object of lists of codes by their status')),
  otherErrors: required(names),
  answer: required(is.oneOf('json', 'anything')),
  paging: perhaps(paging),
  at: required(
    is.recordOf(
      isPost ? anyPlace : queryOrHeader,
      'an object of places by the names of parameters',
    ),
  ),
  repeatable: perhaps(is.oneOf('by request_id', 'by request_id of items', 'as it is')),
  rules: perhaps(is.fn()),
  foundBy: perhaps({
    accepts: (u) => route.accepts(u) || (is.isObject(u) && route.accepts(Reflect.get(u, 'route'))),
    expected: 'the route of a list, or its row',
  }),
  knownBy: required(names),
  auth: required(is.oneOf('bearer', 'basic', 'none')),
  unspecified: required(names),
})

/** The row itself. Throws an `InvalidOption` for one that cannot work. */
export const checkedRow = (row: AnyEndpoint): AnyEndpoint => {
  const rules = rulesOf(String(fieldsOf(row).route).startsWith('POST '))
  checkOptions(row, rules, { context: 'request: ', allowUnknown: () => true }) // what it says besides is its own
  const { repeatable, at } = row
  if (
    repeatable === 'by request_id' &&
    Object.values(at).includes('whole body') &&
    at.request_id === undefined
  ) {
    const expected = "'query' or a header, where the whole body is another parameter"
    throw new InvalidOption('at.request_id', expected, 'request: ')
  }
  return row
}
