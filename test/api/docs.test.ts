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
