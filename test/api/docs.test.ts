import { Validator } from '@seriousme/openapi-schema-validator'
import { expect, it } from 'vitest'
import { pathNames } from '../../src/api/Endpoint.js'
import { calls } from './docs/calls.js'
import { printApi } from './docs/printApi.js'
import { openapi, printOpenapi } from './docs/printOpenapi.js'

// `npx vitest run test/api/docs.test.ts -u` prints the pages anew

it('every row says in one line what its call does', () => {
  for (const { comment, row } of calls) expect(`${row.route}: ${comment}`).toMatch(/: [A-Z].+\.$/)
})

it('docs/api.md is what the rows print', async () => {
  await expect(printApi()).toMatchFileSnapshot('../../docs/api.md')
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
  expect(operations).toHaveLength(32)
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

it('what the docs have as a rule, and the interface does not show, is marked', () => {
  const page = printApi()
  const ours = '(default, not specified by the interface document)'
  expect(page).toContain(`\`source_amount\` is left out when transfer_amount is given ${ours}.`)
  expect(page).toContain(`\`account_id\` is given when org_id is not ${ours}.`)
  expect(page).toContain(`\`items[].request_id\` is one that no different item has ${ours}.`)
  expect(page).toContain('| up to 100 items; at least 1 item \\* |')
  expect(page).toContain('| up to 500 items; at least 1 item \\* |')
  expect(page).toContain('`account_number` is filled when iban is not.') // the interface says so
  const upload = openapi().paths['/api/v1/reference/order_items/upload']
  expect(upload).toHaveProperty('post.requestBody.content.application/json.schema', {
    type: 'array',
    description: '`order_datetime` is at most 350 days old.',
    minItems: 1,
    maxItems: 500,
    'x-not-specified': ['minItems'],
    items: { $ref: '#/components/schemas/OrderItem' },
  })
})
