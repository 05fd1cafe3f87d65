import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import { calls } from '../../scripts/reference/calls.js'
import { openapi, printOpenapi } from '../../scripts/reference/printOpenapi.js'
import { printReference } from '../../scripts/reference/printReference.js'
import { pathNames } from '../../src/api/Endpoint.js'
import { eventNames } from '../../src/codec/Webhook.js'

// `npx vitest run test/api/docs.test.ts -u` prints the pages anew

it('every row says in one line what its call does', () => {
  for (const { comment, row } of calls) expect(`${row.route}: ${comment}`).toMatch(/: [A-Z].+\.$/)
})

it.each(Object.entries(printReference()))('%s is what rows print', async (file, text) => {
  await expect(text).toMatchFileSnapshot(`../../docs/reference/${file}`)
})

it('docs/openapi.json is what the rows print', async () => {
  await expect(printOpenapi()).toMatchFileSnapshot('../../docs/openapi.json')
})

it('docs/openapi.json is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  expect(await validator.validate(JSON.parse(printOpenapi()))).toEqual({ valid: true })
  expect(validator.version).toBe('3.1')
})

it('docs/openapi.json has every call, its names in braces as parameters, and no loose reference', () => {
  const { paths, components } = openapi()
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  expect(operations.map((operation) => Object(operation).operationId)).toEqual(
    expect.arrayContaining(calls.map(({ resource, name }) => `${resource}.${name}`)),
  )
  expect(operations).toHaveLength(calls.length)
  for (const { row, parameters } of calls) {
    const inPath = parameters.filter(({ place }) => place === 'path').map(({ name }) => name)
    expect(inPath).toEqual(pathNames(row.route))
  }
  for (const [, kind = '', name = ''] of printOpenapi().matchAll(
    /"#\/components\/(\w+)\/(\w+)"/g,
  )) {
    expect(Object.keys(Reflect.get(components, kind))).toContain(name)
  }
})

it('rules that the docs have, and the API description does not show, are marked', () => {
  const page = Object.values(printReference()).join('\n')
  const ours = '(our assumption: not in the API description)'
  expect(page).toContain(`\`source_amount\` must be omitted when transfer_amount is given ${ours}.`)
  expect(page).toContain(`\`account_id\` must be given when org_id is missing ${ours}.`)
  expect(page).toContain(
    `\`items[].request_id\` must be unique, except among identical items ${ours}.`,
  )
  expect(page).toContain(' Up to 100 items; at least 1 item \\* |')
  expect(page).toContain(' Up to 500 items; at least 1 item \\* |')
  expect(page).toContain('`account_number` must be non-empty when iban is missing or empty.') // the API description says so
  const upload = openapi().paths['/api/v1/reference/order_items/upload']
  expect(upload).toHaveProperty('post.requestBody.content.application/json.schema', {
    type: 'array',
    description:
      '1 to 500 items. With `allow_partial_success`, only the platform checks each item. `order_datetime` must be at most 350 days old.',
    minItems: 1,
    maxItems: 500,
    'x-not-specified': ['minItems'],
    items: { $ref: '#/components/schemas/OrderItem' },
  })
})

it('the reference has the notes of the API description on parameters', () => {
  const pages = printReference()
  const rowOf = (page: string, name: string): ReadonlyArray<string> =>
    (pages[page] ?? '').split('\n').filter((line) => line.startsWith(`| \`${name}`))
  expect(rowOf('charges.md', 'from_created_at')).toEqual([
    '| `from_created_at?` | string, query | Created at or after this time. ISO 8601 date or time. |',
  ])
  expect(rowOf('charges.md', 'page_size')).toEqual([
    '| `page_size?` | integer, query | Rows per page, 10 to 2,000. Default: 100. |',
  ])
  expect(rowOf('partner-webhooks.md', 'org_id')).toEqual([
    '| `org_id?` | string, body | The organization that authorized the application; required for Billing and Spend events. |',
  ])
  expect(rowOf('reference-data.md', 'allow_partial_success').join()).toContain(
    'False, the default: one invalid item rejects the whole request.',
  )
  expect(rowOf('objects.md', 'type').join('\n')).toContain(String.raw`Required \* |`) // of a fee option
})

it('every parameter of every call has a note', () => {
  const bare = calls.flatMap(({ resource, name, parameters }) =>
    resource === 'authentication'
      ? []
      : parameters
          .filter(({ schema }) => schema.description === undefined)
          .map((parameter) => `${resource}.${name} ${parameter.name}`),
  )
  expect(bare).toEqual([])
})

it('docs/openapi.json describes the delivery of every known event, and marks names that the API description does not have', () => {
  const deliveries = Object.values(openapi().webhooks)
  const names = deliveries.flatMap(({ post }) => {
    const { name } = post.requestBody.content['application/json'].schema.properties ?? {}
    return name?.['x-extensible-enum'] ?? []
  })
  expect(names.toSorted()).toEqual([...eventNames].toSorted())
  const create = openapi().paths['/api/v1/webhooks/create']
  const at = 'post.requestBody.content.application/json.schema.properties.events.items'
  expect(create).toHaveProperty(
    `${at}.x-not-specified-values`,
    expect.arrayContaining(['charge.new']),
  )
  expect(create).not.toHaveProperty(
    `${at}.x-not-specified-values`,
    expect.arrayContaining(['account.active']),
  )
  expect(openapi().components.schemas.FeeOption).toHaveProperty('properties.type.x-not-specified', [
    'required',
  ])
  expect(openapi().paths['/api/v1/charges/create']).toHaveProperty(
    'post.requestBody.content.application/json.schema.properties.amount.x-not-specified',
    ['pattern'],
  )
})
