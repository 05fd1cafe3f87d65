import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  checkOptions,
  defaultsOf,
  InvalidOption,
  is,
  type OptionRule,
  type OptionsOf,
  type OptionsTable,
  required,
  resolveOptions,
  withDefault,
} from '../../src/options/index.js'

interface Options {
  readonly name: string
  readonly limit?: number
  readonly timeout?: { readonly connect?: number; readonly body?: number }
  readonly weights?: Readonly<Record<string, number>>
  readonly codes?: ReadonlyArray<string>
}

const rules: OptionsTable<Options> = {
  name: required(is.nonEmptyString),
  limit: is.positiveIntOrInfinity,
  timeout: is.group<NonNullable<Options['timeout']>>({
    connect: is.finiteMillis,
    body: is.finiteMillis,
  }),
  weights: is.recordOf(is.positiveFinite, 'weights by name'),
  codes: is.arrayOf(is.string, 'a list of texts'),
}

const check = (options: unknown): Options => checkOptions(options as Options, rules)

describe('options that fit', () => {
  it('are handed on without those that are undefined, however deep', () => {
    const timeout = { connect: 5, body: undefined }
    const given = { name: 'a', limit: undefined, timeout, weights: { a: 1, b: undefined } }
    const options = check(given)
    expect(Object.keys(options)).toEqual(['name', 'timeout', 'weights'])
    expect(Object.keys(options.timeout ?? {})).toEqual(['connect'])
    expect(Object.keys(options.weights ?? {})).toEqual(['a'])
    expect(given.timeout).toBe(timeout)
    expect(Object.keys(timeout)).toEqual(['connect', 'body'])
  })

  it('may be computed', () => {
    const options = Object.defineProperty({ name: 'a' }, 'limit', { get: () => 5 })
    expect(check(options)).toEqual({ name: 'a', limit: 5 })
  })

  it('are own properties: what a prototype has is ignored', () => {
    expect(check(Object.create({ limit: -1 }, { name: { value: 'a' } }))).toEqual({ name: 'a' })
    expect(() => check(Object.create({ name: 'a' }))).toThrow('name should be')
  })

  it('may be all that a module exports, or have no prototype', () => {
    const kinds = [Object.create(null), { [Symbol.toStringTag]: 'Module' }]
    for (const kind of kinds) {
      expect(check(Object.assign(kind, { name: 'a' }))).toMatchObject({ name: 'a' })
    }
  })
})

it('a table has a rule for every option, and says which are needed', () => {
  const all = {
    name: required(is.string),
    limit: is.positiveIntOrInfinity,
    timeout: is.fn(),
    weights: is.fn(),
  }
  const { codes } = rules
  expectTypeOf({ ...all, codes }).toExtend<OptionsTable<Options>>()
  expectTypeOf(all).not.toExtend<OptionsTable<Options>>()
  const optional: OptionRule = is.string
  expectTypeOf({ ...all, codes, name: optional }).not.toExtend<OptionsTable<Options>>()
})

it('a table of other options is none for these', () => {
  const others: OptionsTable<{ readonly port?: number; readonly host?: string }> = {
    port: is.int(0),
    host: is.string,
  }
  const options: { readonly name: string } = { name: 'a' }
  // @ts-expect-error It has no rule for `name`.
  expect(() => checkOptions(options, others)).toThrow('name should be omitted')
  // @ts-expect-error Its rule lets `name` be left out.
  expect(checkOptions(options, { name: is.string })).toEqual(options)
})

it.each<readonly [string, OptionRule, ReadonlyArray<unknown>, ReadonlyArray<unknown>]>([
  ['least', is.atLeast(2), [2, 2.5], [1.9]],
  ['fraction', is.fraction, [1, 0.1], [0, 1.1]],
  ['chance', is.probability, [0, 1], [-0.1, 1.1]],
  ['millis', is.millis, [0, Number.POSITIVE_INFINITY], [-1]],
  ['span', is.finiteMillis, [0], [-1, Number.POSITIVE_INFINITY]],
  ['whole', is.int(1, 3), [1, 3], [0, 4, 1.5]],
])('%s takes its ends, and nothing beyond', (_, rule, good, bad) => {
  expect(good.filter(rule.accepts)).toEqual(good)
  expect(bad.filter(rule.accepts)).toEqual([])
})

describe('options that do not fit', () => {
  const COUNT = 'a whole number of at least 1, or Infinity'
  const ALL = 'an object like { name, limit, timeout, weights, codes }'

  it.each<readonly [unknown, string, string]>([
    [{ nam: 'a' }, 'nam', 'omitted: unknown option (did you mean name?)'],
    [{ name: 'a', toString: 5 }, 'toString', 'omitted'],
    [JSON.parse('{ "name": "a", "__proto__": 5 }'), '__proto__', 'omitted'],
    [
      { name: 'a', timeout: { read: 5 } },
      'timeout.read',
      'omitted: unknown option; the options are',
    ],
    [{}, 'name', 'a non-empty string, but is missing'],
    [{ name: '' }, 'name', 'a non-empty string, but is empty'],
    [{ name: 'a', limit: '' }, 'limit', `${COUNT}, but is empty`],
    [{ name: 22 }, 'name', 'a non-empty string, but is a number'],
    [{ name: 0 }, 'name', 'a non-empty string, but is a number'],
    [{ name: 'a', limit: 0 }, 'limit', `${COUNT}, but is 0`],
    [{ name: 'a', limit: -22 }, 'limit', `${COUNT}, but is below 0`],
    [{ name: 'a', limit: 22.5 }, 'limit', COUNT],
    [{ name: 'a', limit: Number.NaN }, 'limit', `${COUNT}, but is NaN`],
    [{ name: 'a', limit: '22' }, 'limit', `${COUNT}, but is a string`],
    [{ name: 'a', limit: null }, 'limit', `${COUNT}, but is null`],
    [{ name: 'a', limit: 22n }, 'limit', `${COUNT}, but is a bigint`],
    [{ name: 'a', timeout: [22] }, 'timeout', 'an object like { connect, body }, but is a list'],
    [{ name: 'a', timeout: { body: true } }, 'timeout.body', 'at least 0 milliseconds, but is a b'],
    [{ name: 'a', weights: { b: 0 } }, 'weights.b', 'a finite number above 0, but is 0'],
    [{ name: 'a', codes: '22' }, 'codes', 'a list of texts, but is a string'],
    [{ name: 'a', codes: ['b', {}] }, 'codes[1]', 'a string, but is an object'],
    [{ name: 'a', codes: Array(1) }, 'codes[0]', 'a string, but is missing'],
    [
      { name: 'a', weights: new Map([['b', 22]]) },
      'weights',
      'weights by name, but is an object without fields',
    ],
    [new Date(22), 'options', `${ALL}, but is an object`],
    [undefined, 'options', `${ALL}, but is missing`],
    [() => 22, 'options', `${ALL}, but is a function`],
  ])('%o are told by name, and not repeated', (options, option, expected) => {
    const error = expect.objectContaining({
      name: 'InvalidOption',
      option,
      message: expect.stringContaining(`${option} should be ${expected}`),
    })
    expect(() => check(options)).toThrow(error)
    expect(() => check(options)).not.toThrow('22')
    expect(() => check(options)).toThrow(InvalidOption)
    expect(() => check(options)).toThrow(TypeError)
  })

  it.each<readonly [unknown, string]>([
    [5, 'options'],
    [{ name: 'a', timeout: { body: -1 } }, 'timeout.body'],
    [{ name: 'a', weights: { b: 0 } }, 'weights.b'],
    [{ name: 'a', codes: [5] }, 'codes[0]'],
  ])('say whose they are, however deep: %j', (options, option) => {
    const checked = () => checkOptions(options as Options, rules, { context: 'mine: ' })
    expect(checked).toThrow(`mine: ${option} should be`)
  })

  it('say whose they are, and may have names that are let pass', () => {
    const settings = { context: "rate 'all': ", allowUnknown: (name: string) => name === '_tag' }
    const tagged: Options = Object.assign({ name: 'a' }, { _tag: 'Rate' })
    expect(checkOptions(tagged, rules, settings)).toEqual(tagged)
    const limited: Options = { ...tagged, limit: 0 }
    const message = expect.stringMatching(/^rate 'all': limit should be/)
    expect(() => checkOptions(limited, rules, settings)).toThrow(
      expect.objectContaining({ option: 'limit', message }),
    )
  })
})

describe('a table with defaults', () => {
  const table = {
    name: required(is.nonEmptyString),
    limit: withDefault(is.positiveIntOrInfinity, 5),
    order: withDefault(is.oneOf('up', 'down'), 'up'),
    note: is.string,
  }
  interface Own extends OptionsOf<typeof table> {}

  it('fills in what was left out, or is undefined', () => {
    expect(resolveOptions({ name: 'a' }, table)).toEqual({ name: 'a', limit: 5, order: 'up' })
    const given = { name: 'a', limit: undefined, order: 'down' } as unknown as Own
    expect(resolveOptions(given, table)).toEqual({ name: 'a', limit: 5, order: 'down' })
    expect(defaultsOf(table)).toEqual({ limit: 5, order: 'up' })
  })

  it('checks what was given', () => {
    const given = { name: 'a', limit: 0 }
    expect(() => resolveOptions(given, table, { context: 'mine: ' })).toThrow('mine: limit should')
  })

  it('is the type of its options', () => {
    expectTypeOf<Own>().branded.toEqualTypeOf<{
      readonly name: string
      readonly limit?: number
      readonly order?: 'up' | 'down'
      readonly note?: string
    }>()
    expectTypeOf(resolveOptions({ name: 'a' }, table)).branded.toEqualTypeOf<{
      readonly name: string
      readonly limit: number
      readonly order: 'up' | 'down'
      readonly note?: string
    }>()
    // @ts-expect-error It is no text.
    withDefault(is.string, 5)
  })
})
