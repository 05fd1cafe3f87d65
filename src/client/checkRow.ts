/** Rows of one's own, for code without types: what the compiler says of them otherwise. */
import type { AnyEndpoint } from '../api/Endpoint.js'
import { fieldsOf } from '../decode/unknown.js'
import { checked, InvalidOption, is, type Needed, type Rule, type Rules } from '../options/index.js'

const route: Rule = is.textThat(
  (text) => /^(GET|POST) \/[^\s?#]*$/.test(text),
  "a route such as 'GET /api/v1/charges/{id}': GET or POST, and the path alone",
)

const codec = is.having('an io-ts codec', 'decode', 'validate', 'encode')

const paging: Rule = {
  fits: (u) =>
    is.isObject(u) &&
    ['number', 'cursor'].includes(Reflect.get(u, 'style')) &&
    is.isObject(Reflect.get(u, 'first')),
  expected: 'byNumber(size) or byCursor(size)',
}

/** What many rows do not say. */
const perhaps = (rule: Rule): Needed =>
  is.needed({ ...rule, fits: (u) => u === undefined || rule.fits(u) })

/** A header is named by a token (RFC 9110, 5.6.2). */
const HEADER = /^header [\w!#$%&'*+.^`|~-]+$/

const queryOrHeader = is.textThat(
  (text) => text === 'query' || HEADER.test(text),
  "'query' or a header such as 'header x-name'",
)

/** Where a request has a body. */
const anyPlace = is.textThat(
  (text) => text === 'whole body' || queryOrHeader.fits(text),
  "'query', 'whole body' or a header such as 'header x-name'",
)

const names = is.listOf(is.text, 'a list of texts')

const rulesOf = (isPost: boolean): Rules<AnyEndpoint> => ({
  route: is.needed(route),
  params: is.needed(codec),
  success: is.needed(codec),
  status: is.needed({ fits: (u) => u === 200 || u === 201, expected: '200 or 201' }),
  errors: is.needed(is.eachOf(names, 'an object of lists of codes by their status')),
  otherErrors: is.needed(names),
  answer: is.needed(is.oneOf('json', 'anything')),
  paging: perhaps(paging),
  at: is.needed(
    is.eachOf(isPost ? anyPlace : queryOrHeader, 'an object of places by the names of parameters'),
  ),
  repeatable: perhaps(is.oneOf('by request_id', 'by request_id of items', 'as it is')),
  rules: perhaps(is.work),
  foundBy: perhaps({
    fits: (u) => route.fits(u) || (is.isObject(u) && route.fits(Reflect.get(u, 'route'))),
    expected: 'the route of a list, or its row',
  }),
  knownBy: is.needed(names),
  auth: is.needed(is.oneOf('bearer', 'basic', 'none')),
  unspecified: is.needed(names),
})

/** The row itself. Throws an `InvalidOption` for one that cannot work. */
export const checkedRow = (row: AnyEndpoint): AnyEndpoint => {
  const rules = rulesOf(String(fieldsOf(row).route).startsWith('POST '))
  checked(row, rules, { of: 'request: ', passes: () => true }) // what it says besides is its own
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
