import { data } from 'currency-codes'
import * as fc from 'fast-check'
import * as t from 'io-ts'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  compile,
  digitsOf,
  fromMinorUnits,
  type MinorUnitsFailure,
  minorUnitsOf,
  type NoDigits,
  parseExact,
  toMinorUnits,
} from '../../src/decode/index.js'
import { exponentOf } from '../../src/decode/minorUnits.js'
import { A, E, O, pipe } from '../../src/fp.js'
import { forAll } from '../support/forAll.js'

interface Charge {
  readonly amount: number
}

const parsed = (text: string): Charge => {
  const decoded = compile(t.type({ amount: t.number }))(parseExact(text))
  if (E.isLeft(decoded)) throw new Error('refused')
  return decoded.right
}

describe('parseExact', () => {
  it.each(['12.50', '0.1', '1e3', '-0', '-0.0', '12345678901234567890.12', '0.30000000000000004'])(
    'keeps the digits of %s',
    (text) => {
      expect(pipe(parsed(`{"amount":${text}}`), digitsOf('amount'))).toEqual(O.some(text))
    },
  )

  it('reads what JSON.parse reads, and what io-ts sees is the same', () => {
    forAll(fc.json(), (text) => {
      const exact = parseExact(text)
      expect(JSON.stringify(exact)).toBe(JSON.stringify(JSON.parse(text)))
      if (typeof exact === 'object' && exact !== null) {
        expect(Object.keys(exact)).toEqual(Object.keys(JSON.parse(text)))
      }
    })
    expect(() => parseExact('{')).toThrow(SyntaxError)
  })

  it('takes the digits along when an object is copied, but not when the number is changed', () => {
    const charge = parsed('{"amount":12.50}')
    expect(digitsOf('amount')({ ...charge })).toEqual(O.some('12.50'))
    expect(digitsOf('amount')({ ...charge, amount: 13 })).toEqual(O.none)
    expect(digitsOf('amount')(JSON.parse('{"amount":12.50}'))).toEqual(O.none)
  })

  it('is not taken in by a key named __proto__', () => {
    const u = parseExact('{"__proto__":1.50,"amount":2.0}')
    expect(digitsOf('amount')(Object(u))).toEqual(O.some('2.0'))
    expect(Object.getPrototypeOf(u)).toBe(Object.prototype)
  })

  it('has the keys of the holder in its type', () => {
    expectTypeOf(digitsOf('amount')).parameter(0).toEqualTypeOf<{ readonly amount?: unknown }>()
  })
})

describe('minor units', () => {
  it.each<[string, string, bigint]>([
    ['EUR', '12.5', 1250n],
    ['EUR', '-0.01', -1n],
    ['JPY', '12.00', 12n],
    ['KWD', '1.234', 1234n],
    ['CLF', '1.2345', 12345n],
    ['EUR', '1.25e1', 1250n],
    ['EUR', '12500e-3', 1250n],
    ['EUR', '0.0125E+0003', 1250n],
    ['EUR', '-0', 0n],
    ['EUR', '90071992547409930.01', 9007199254740993001n],
  ])('has %s %s as %d', (currency, amount, minor) => {
    expect(toMinorUnits(currency)(amount)).toEqual(E.right(minor))
  })

  it('refuses what is no whole number of minor units', () => {
    const fraction = (currency: string, exponent: number): unknown =>
      E.left({
        _tag: 'FractionOfMinorUnit',
        currency,
        exponent,
        message: `the amount should be a whole number of minor units: ${currency} has ${exponent} decimals`,
      })
    const unknown = (currency: string): unknown =>
      E.left({
        _tag: 'UnknownCurrency',
        currency,
        message: 'the currency should be an ISO 4217 code with a minor unit, such as EUR',
      })
    expect(toMinorUnits('JPY')('12.5')).toEqual(fraction('JPY', 0))
    expect(toMinorUnits('EUR')('0.001')).toEqual(fraction('EUR', 2))
    expect(toMinorUnits('XXX')('1')).toEqual(unknown('XXX'))
    expect(fromMinorUnits('eur')(1n)).toEqual(unknown('eur'))
    for (const text of [
      '',
      '1,5',
      ' 1',
      '1.',
      '.5',
      '0x10',
      'NaN',
      '1e1000000',
      '9'.repeat(1_001),
    ]) {
      expect(toMinorUnits('EUR')(text)).toEqual(
        E.left({
          _tag: 'NotDecimal',
          currency: 'EUR',
          message: 'the amount should be decimal text, such as 12.50',
        }),
      )
    }
  })

  it('writes what it reads', () => {
    const currency = fc.constantFrom('EUR', 'JPY', 'KWD', 'CLF')
    forAll(currency, fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (code, minor) => {
      expect(pipe(minor, fromMinorUnits(code), E.chain(toMinorUnits(code)))).toEqual(E.right(minor))
    })
    expect(toMinorUnits('JPY')('9'.repeat(1_000))).toEqual(E.right(10n ** 1_000n - 1n))
    expect(fromMinorUnits('EUR')(5n)).toEqual(E.right('0.05'))
    expect(fromMinorUnits('EUR')(-1250n)).toEqual(E.right('-12.50'))
    expect(fromMinorUnits('JPY')(0n)).toEqual(E.right('0'))
  })

  it('has the exponents of the published list', () => {
    const without = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' ')
    for (const { code, digits } of data) {
      expect([code, exponentOf(code)]).toEqual([
        code,
        without.includes(code) ? O.none : O.some(digits),
      ])
    }
  })
})

describe('minorUnitsOf', () => {
  const row = t.intersection([
    t.type({ amount: t.number, currency: t.string }),
    t.partial({ fee: t.union([t.number, t.null]), fee_currency: t.union([t.string, t.null]) }),
  ])
  const read = (text: string) => {
    const decoded = compile(row)(parseExact(text))
    if (E.isLeft(decoded)) throw new Error('refused')
    return decoded.right
  }

  it('takes a number by its digits, and the currency that stands beside it', () => {
    const charge = read(
      '{"amount":90071992547409930.01,"currency":"EUR","fee":7,"fee_currency":"KWD"}',
    )
    expect(minorUnitsOf('amount')(charge)).toEqual(E.right(9007199254740993001n))
    expect(minorUnitsOf('fee', 'fee_currency')(charge)).toEqual(E.right(7000n))
    expect(minorUnitsOf('amount')({ ...charge, currency: 'JPY' })).toMatchObject(
      E.left({ _tag: 'FractionOfMinorUnit', currency: 'JPY', exponent: 0 }),
    )
  })

  it('takes a text as it is', () => {
    expect(minorUnitsOf('amount')({ amount: '9.99', currency: 'USD' })).toEqual(E.right(999n))
  })

  it('adds up what floats do not', () => {
    const rows = ['0.10', '0.20'].map((text) => read(`{"amount":${text},"currency":"USD"}`))
    const sum = pipe(
      rows,
      A.traverse(E.Applicative)(minorUnitsOf('amount')),
      E.map((all) => all.reduce((sum, one) => sum + one, 0n)),
      E.chainW(fromMinorUnits('USD')),
    )
    expect(sum).toEqual(E.right('0.30'))
  })

  it('makes up no digits: of a number that was parsed otherwise, or changed, or is missing', () => {
    const charge = read('{"amount":12.50,"currency":"EUR","fee":null,"fee_currency":null}')
    const none = (key: string) =>
      E.left({
        _tag: 'NoDigits',
        key,
        message: `${key} should be text, or a number with its original digits (use a client with numbers: 'exact')`,
      })
    expect(minorUnitsOf('amount')({ amount: 12.5, currency: 'EUR' })).toEqual(none('amount'))
    expect(minorUnitsOf('amount')({ ...charge, amount: 13 })).toEqual(none('amount'))
    expect(minorUnitsOf('fee')(charge)).toEqual(none('fee'))
    expect(minorUnitsOf('tax')({ currency: 'EUR' })).toEqual(none('tax'))
    expect(minorUnitsOf('amount', 'fee_currency')(charge)).toMatchObject(
      E.left({ _tag: 'UnknownCurrency', currency: '' }),
    )
  })

  it('has the keys of the holder, and all that can be wrong, in its type', () => {
    const of = minorUnitsOf('fee', 'fee_currency')
    expectTypeOf(of).returns.toEqualTypeOf<E.Either<MinorUnitsFailure | NoDigits, bigint>>()
    expectTypeOf<t.TypeOf<typeof row>>().toExtend<Parameters<typeof of>[0]>()
    expectTypeOf<{ fee: string; fee_currency: number }>().not.toExtend<Parameters<typeof of>[0]>()
    expectTypeOf(minorUnitsOf('amount')).parameter(0).toHaveProperty('currency')
  })
})
