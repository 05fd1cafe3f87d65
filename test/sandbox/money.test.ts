import { expect, it } from 'vitest'
import { rounded } from '../../src/sandbox/data/money.js'

it.each([
  ['EUR', 12.35],
  ['JPY', 12],
  ['VUV', 12],
  ['XPF', 12],
  ['KWD', 12.346],
  ['BHD', 12.346],
  ['XXX', 12.35], // not known to ISO 4217
])('in %s, 12.3456 is %s', (currency, amount) => {
  expect(rounded(12.3456, currency)).toBe(amount)
})
