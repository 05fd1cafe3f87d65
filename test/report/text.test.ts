import { expect, it } from 'vitest'
import { bytes, duration, percent, roundedDuration, truncate } from '../../src/report/text.js'

it.each([
  [0, '0.0 s'],
  [3_140, '3.1 s'],
  [59_960, '1 min 00 s'],
  [130_000, '2 min 10 s'],
  [3_900_000, '1 h 05 min'],
  [90_000_000, '25 h 00 min'],
])('%d ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text)
})

it.each([
  [200, '5 s'],
  [41_000, '45 s'],
  [59_000, '1 min 00 s'],
  [61_000, '1 min 10 s'],
  [595_000, '10 min'],
  [601_000, '11 min'],
  [3_599_000, '1 h 00 min'],
])('%d ms are about %s', (ms, text) => {
  expect(roundedDuration(ms)).toBe(text)
})

it.each([
  [0, '0 %'],
  [0.001, '< 1 %'],
  [0.467, '47 %'],
  [0.999, '99 %'],
  [1, '100 %'],
])('%d is %s', (share, text) => {
  expect(percent(share)).toBe(text)
})

it.each([
  [0, '0 B'],
  [412, '412 B'],
  [8_123_456, '8.1 MB'],
  [2e15, '2000.0 TB'],
])('%d bytes are %s', (n, text) => {
  expect(bytes(n)).toBe(text)
})

it('truncates to the width', () => {
  expect(truncate('abcdef', 6)).toBe('abcdef')
  expect(truncate('abcdef', 4)).toBe('abc…')
})
