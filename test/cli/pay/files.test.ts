/** Files that `pay` reads: what spreadsheets and hands do to them is refused, with what was probably meant. */
import { writeFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../support/runs.js'
import { COLUMNS, paying } from '../paying.js'

const { at, newRun, pay } = await paying()

/** Quotes a file, and deletes the drafts. */
const quote = async (name: string, text: string | Buffer, ...args: ReadonlyArray<string>) => {
  await writeFile(at(name), text)
  const run = newRun()
  const ended = await pay([at(name), '--run', run, ...args])
  await pay(['--run', run, '--discard'])
  return ended
}

const row = (amount: string, currency = 'EUR', reference = 'Pay'): string =>
  `wages_salary,${reference},${currency},${currency},LOCAL,${amount},ben_1`

const csv = (...rows: ReadonlyArray<string>): string => [COLUMNS, ...rows].join('\n')

const json = (more: object): string =>
  JSON.stringify({
    ...{ reason: 'wages_salary', reference: 'Pay', source_currency: 'EUR' },
    ...{ transfer_currency: 'EUR', transfer_method: 'LOCAL', transfer_amount: 5 },
    ...{ beneficiary_id: 'ben_1', ...more },
  })

describe('amounts', () => {
  it.each([
    ['1.250', 'EUR', '1250 or 1.25'],
    ['12.000', 'JPY', '12000 or 12'],
    ['100.500', 'USD', '100500 or 100.5'],
    ['1.250.000', 'EUR', '1250000'],
    ['1.250.000', 'KWD', 'plain decimal text'],
    ['0', 'EUR', 'more than 0'],
    ['0.00', 'EUR', 'more than 0'],
    ['-5', 'EUR', 'at least 0'],
    ['1,250', 'EUR', '8 cells, but there are 7 columns'],
    ['1.250', 'XXX', '1250 or 1.25'],
  ])('%s %s is refused, with what was probably meant', async (amount, currency, meant) => {
    const { status, stderr } = await quote('a.csv', csv(row('5'), row(amount, currency, 'Other')))
    expect(stderr).toContain(meant)
    expect(status).toBe(2)
    if (amount.includes(',')) return
    const money = { transfer_currency: currency, source_currency: currency }
    const digits = json({ transfer_amount: 1, ...money })
    const number = digits.replace('"transfer_amount":1', `"transfer_amount":${amount}`)
    const line = /^\d+(\.\d+)?$/.test(amount) ? number : digits.replace(':1,', `:"${amount}",`)
    expect((await quote('a.ndjson', line)).stderr).toContain(meant)
  })

  it('of a currency are read as they stand unless they look like thousands', async () => {
    const decimals = { JPY: 0, EUR: 2, KWD: 3 }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...(['JPY', 'EUR', 'KWD'] as const)),
        fc.integer({ min: 1, max: 9_999_999 }),
        async (currency, units) => {
          const digits = String(units).padStart(decimals[currency] + 1, '0')
          const point = digits.length - decimals[currency]
          const amount =
            decimals[currency] === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`
          const { status, stdout } = await quote('b.csv', csv(row(amount, currency)))
          expect(status).toBe(0)
          expect(stdout.replaceAll(',', '')).toContain(` ${amount}`)
        },
      ),
      { numRuns: runs(15) },
    )
  })
})

describe('rows', () => {
  it.each([
    [
      'fewer',
      csv(row('5'), 'wages_salary,Pay,EUR,EUR,LOCAL,7'),
      /row 2 has 6 cells, but there are 7 columns/,
    ],
    ['more', csv(row('5'), `${row('7')},`), /row 2 has 8 cells, but there are 7 columns/],
  ])('with %s cells are refused by their number', async (_, text, message) => {
    const { status, stderr } = await quote('c.csv', text, '--without-invalid')
    expect(stderr).toMatch(message)
    expect(status).toBe(2)
  })

  it('of delimiters alone are blank', async () => {
    const text = csv(row('5'), ',,,,,,', '', ',,,,,,,,', '"",, ,,,,', row('7', 'EUR', 'Other'))
    const { status, stdout } = await quote('d.csv', text)
    expect(stdout).toContain('2 items')
    expect(status).toBe(0)
  })

  it.each([
    ['a line', 'e.ndjson', `{"reason":"${'x'.repeat(1 << 21)}"}`],
    ['a cell', 'e.csv', csv(row('5', 'EUR', 'x'.repeat(1 << 21)))],
    ['an open quote', 'e.csv', csv(`"${row('5')}`, ...Array<string>(40_000).fill(row('5')))],
    ['the line of names', 'e.csv', ','.repeat(1 << 21)],
  ])('%s of more than 1 MiB is refused', async (_, name, text) => {
    const { status, stderr } = await quote(name, text)
    expect(stderr).toMatch(/a row is longer than 1 MiB/)
    expect(status).toBe(2)
  })
})

describe('account numbers', () => {
  it.each(['account_number', 'iban'])('cut by a spreadsheet are refused: %s', async (field) => {
    const bank = 'beneficiary.bank_details'
    const header = `${COLUMNS.replace(',beneficiary_id', '')},beneficiary.entity_type,${bank}.account_name,${bank}.account_currency,${bank}.bank_country_code,${bank}.${field}`
    const line = `${row('5').replace(',ben_1', '')},PERSONAL,Ada,EUR,DE,1.23457E+11`
    const { status, stderr } = await quote('f.csv', `${header}\n${line}`)
    expect(stderr).toContain(
      `${bank}.${field} should be the full number (format the column as text`,
    )
    expect(stderr).toContain('shortened, as in 1.23457E+11')
    expect(status).toBe(2)
  })
})

describe('names', () => {
  it.each([
    [{ referense: 'x' }, /row 1: a payment has no field "referense" \(did you mean reference\?\)/],
    [{ iban: 'x' }, /no field "iban" \(did you mean beneficiary\.bank_details\.iban\?\)/],
    [
      { beneficiary: { bank_details: { ibann: 'x' } } },
      /"beneficiary\.bank_details\.ibann" \(did you mean beneficiary\.bank_details\.iban\?\)/,
    ],
    [{ other: null }, /no field "other": rename or remove it/],
    [{ transfer_method: 'LOKAL' }, /transfer_method should be .*'LOKAL' \(did you mean LOCAL\?\)/],
    [{ beneficiary: 'x' }, /beneficiary should be/],
  ])('%j in NDJSON is refused, with what was probably meant', async (more, message) => {
    const { status, stderr } = await quote('g.ndjson', json(more))
    expect(stderr).toMatch(message)
    expect(status).toBe(2)
  })

  it('of open objects are the own ones, and the reasons of a rejected file are no field', async () => {
    const own = { metadata: { 'cost.centre': '7' }, payer: { additional_info: { x: 1 } } }
    const { status } = await quote('h.ndjson', json({ ...own, not_paid_because: 'x' }))
    expect(status).toBe(0)
  })
})

describe('delimiters', () => {
  const names = COLUMNS.split(',')
  const cells = row('5').split(',')

  it.each([
    ['; with commas in quotes', ';', '"Pay, once, twice, and, again, now, then, so"', []],
    ['|, said', '|', 'Pay', ['--delimiter', '|']],
    ['tab, said', '\t', 'Pay', ['--delimiter', 'tab']],
    [': between names with commas', ':', 'Pay', ['--delimiter', ':']],
  ])('may be %s', async (_, delimiter, reference, args) => {
    const line = cells.map((cell) => (cell === 'Pay' ? reference : cell)).join(delimiter)
    const { status, stdout } = await quote('i.csv', `${names.join(delimiter)}\n${line}`, ...args)
    expect(status).toBe(0)
    if (args.length > 0) expect(stdout).toMatch(/--delimiter (tab|'.'|.)/)
  })

  it('in quotes in the first line do not count', async () => {
    const map = { reference: 'Text; of; all; it; says; to; them' }
    await writeFile(
      at('map.json'),
      JSON.stringify({ ...Object.fromEntries(names.map((name) => [name, name])), ...map }),
    )
    const header = names
      .map((name) => (name === 'reference' ? `"${map.reference}"` : name))
      .join(',')
    const { status } = await quote('j.csv', `${header}\n${row('5')}`, '--map', at('map.json'))
    expect(status).toBe(0)
  })

  it.each(['', 'ab', '"', 'x', '1'])('%j is none', async (delimiter) => {
    const { status, stderr } = await quote('k.csv', csv(row('5')), '--delimiter', delimiter)
    expect(stderr).toMatch(/one character, such as ; or \||should not be empty/)
    expect(status).toBe(2)
  })
})

it('Parquet is no file of payments', async () => {
  const { status, stderr } = await quote('l.parquet', 'PAR1')
  expect(stderr).toMatch(/--format is required for .*l\.parquet: csv, ndjson/)
  expect(status).toBe(2)
})
