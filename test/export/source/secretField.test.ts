import { expect, it } from 'vitest'
import { stripped } from '../../../src/export/source/secretField.js'

it('a row without a secret is the same one, and is written as it came', () => {
  const row = { id: 'a', events: ['charge.new'], metadata: { tags: [{ of: ['x'] }] } }
  expect(stripped(row)).toBe(row)
})

it('fields that are called secret are left out at all levels', () => {
  const row = { id: 'a', secret: 1, list: [{ secret: 2, of: [3] }, 4] }
  expect(stripped(row)).toEqual({ id: 'a', list: [{ of: [3] }, 4] })
})
