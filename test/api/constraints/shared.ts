/** Rules of single values. */
import { text } from './Constraint.js'

export const currency = {
  good: ['EUR', 'ZMW'],
  bad: ['EURO', 'EU', 'eur', '', 978],
  expected: 'a currency code of 3 capital letters',
}

export const lengthOf = (min: number, max: number) => ({
  good: [text(min), text(max), '👩'.repeat(min), '👩'.repeat(max)],
  bad: [text(min - 1), text(max + 1), '👩'.repeat(min - 1), '👩'.repeat(max + 1)],
  expected: `a string of ${min} to ${max} characters`,
})

export const needed = { good: ['x'], bad: [undefined, null, 7], expected: 'string' }

export const optionalText = { good: [undefined, '', 'x'], bad: [null, 7], expected: 'string' }

export const pageSize = (min: number, max: number) => ({
  good: [undefined, min, max, String(max)],
  bad: [min - 1, max + 1, 20.5, 'many'],
  expected: `a whole number from ${min} to ${max}`,
})

export const time = {
  good: [
    undefined,
    '2026-01-10T08:30:00+0000',
    '2026-01-10T08:30:00+08:00',
    '2026-01-10T08:30:00.123Z',
    '2026-01-10T08:30:00,5Z',
    '2026-01-10T08:30Z',
    '2026-01-10T08:30+01',
    '2026-01-10T08:30:00',
    '2026-01-10T08:30',
    '2026-01-10T24:00:00Z',
    '2024-02-29',
    new Date(0),
  ],
  bad: [
    'yesterday',
    '2026-02-29',
    '2026-01-10T25:00:00Z',
    '2026-01-10T24:00:01Z',
    '2026-01-10T08:30:00+24:00',
    '2026-01-10T08',
    '2026-W02-6',
    '2026-010',
    '20260110T083000Z',
    '',
    new Date(Number.NaN),
    0,
  ],
  expected: 'a Date or an ISO 8601 time',
}
