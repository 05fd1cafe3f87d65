/** Each rule of the interface for what is sent, with a value on either side of it. */
import { describe, expect, it } from 'vitest'
import { paramsAt } from '../../src/api/Endpoint.js'
import { rows } from '../../src/api/index.js'
import { causes } from '../../src/decode/index.js'
import { E } from '../../src/fp.js'
import { changed, without } from './changed.js'
import { type Constraint, constraints } from './constraints/index.js'
import { examples } from './examples/index.js'

const NOW = Date.UTC(2026, 0, 10, 12)

const paramsOf = (route: string): unknown =>
  examples.find((example) => example.route === route)?.params ?? {}

const first = (route: string, params: unknown) => {
  const row = rows.find((one) => one.route === route)
  if (row === undefined) throw new Error(`no row ${route}`)
  const decoded = paramsAt(NOW)(row).decode(params)
  return E.isLeft(decoded) ? causes(decoded.left)[0] : undefined
}

const spoilt = ({ route, field }: Constraint, value: unknown): unknown =>
  value === undefined ? without(paramsOf(route), field) : changed(paramsOf(route), field, value)

describe.each(constraints)('$route $field', (constraint) => {
  const { route, good, bad, expected, path = constraint.field } = constraint

  it.each(good.map((value) => ({ value })))('may be $value', ({ value }) => {
    expect(first(route, spoilt(constraint, value))).toBeUndefined()
  })

  it.each(bad.map((value) => ({ value })))('may not be $value', ({ value }) => {
    expect(first(route, spoilt(constraint, value))).toEqual({
      path,
      expected,
      actual: expect.any(String),
    })
  })
})
