import * as t from 'io-ts'
import { afterEach, describe, expect, expectTypeOf, it, type Mock, vi } from 'vitest'
import { compile, type Decoder, explain, open } from '../../src/decode/index.js'
import { E, pipe } from '../../src/fp.js'

afterEach(() => {
  vi.unstubAllGlobals()
})

const Charge = t.type({ id: t.string, amount: t.number, status: t.keyof({ NEW: 1, PAID: 1 }) })

/** A codec that tells whether its own `decode` was called. */
const watched = (codec: t.Mixed): { readonly spied: t.Mixed; readonly decode: Mock } => {
  const decode = Object.defineProperty(vi.fn(codec.decode), 'name', { value: 'bound decode' })
  const spied: t.Mixed = Object.assign(Object.create(Object.getPrototypeOf(codec)), codec, {
    decode,
  })
  return { spied, decode }
}

it('has the type of the codec', () => {
  expectTypeOf(compile(Charge)).toEqualTypeOf<Decoder<t.TypeOf<typeof Charge>>>()
  expectTypeOf(compile(open('a', 'b'))).toEqualTypeOf<Decoder<'a' | 'b' | (string & {})>>()
})

it('makes one decoder for a codec, at its first use', () => {
  const definition = vi.fn((): t.Mixed => t.array(t.string))
  const Lazy = t.recursion('Lazy', definition)
  expect(compile(Lazy)).toBe(compile(Lazy))
  expect(definition).not.toHaveBeenCalled()
  compile(Lazy)('a')
  expect(definition).toHaveBeenCalledTimes(1)
})

it('asks a codec whose own `decode` does more than validate', () => {
  const Trimmed: t.StringC = Object.assign(Object.create(t.StringType.prototype), t.string, {
    decode: (u: unknown) => t.string.decode(typeof u === 'string' ? u.trim() : u),
  })
  expect(compile(Trimmed)(' a ')).toEqual(E.right('a'))
})

it('decodes with io-ts where the platform forbids code generation', () => {
  const forbidden = (): never => {
    throw new EvalError('Code generation from strings disallowed for this context')
  }
  vi.stubGlobal('Function', Object.assign(forbidden, { prototype: Function.prototype }))
  const { spied, decode } = watched(Charge)
  const charge = { id: 'a', amount: 1, status: 'NEW' }
  expect(compile(spied)(charge)).toEqual(E.right(charge))
  expect(decode).toHaveBeenCalledTimes(1)
})

describe('a compiled decoder', () => {
  /** Decodes both ways, and says whether io-ts had to be asked. */
  const both = (codec: t.Mixed, u: unknown): { readonly asked: boolean } => {
    const expected = codec.decode(u)
    const { spied, decode } = watched(codec)
    const actual = compile(spied)(u)
    expect(actual).toEqual(expected)
    if (E.isRight(actual) && E.isRight(expected) && Object.is(expected.right, u)) {
      expect(actual.right).toBe(u)
    }
    return { asked: decode.mock.calls.length > 0 }
  }

  it('answers what is taken without io-ts, and asks it for what is refused', () => {
    expect(both(Charge, { id: 'a', amount: 1, status: 'NEW' }).asked).toBe(false)
    expect(both(Charge, { id: 'a', amount: 1, status: 'OLD' }).asked).toBe(true)
    expect(both(t.strict({ a: t.string }), { a: 'a', b: 1 }).asked).toBe(false)
  })

  it('does not trust the tag of a clone that validates in its own way', () => {
    const base = t.type({ a: t.string })
    const validate: typeof base.validate = (u, c) =>
      pipe(
        base.validate(u, c),
        E.orElse(() => t.success({ a: 'fallback' })),
      )
    const clone: typeof base = Object.assign(Object.create(Object.getPrototypeOf(base)), base, {
      validate,
    })
    both(t.array(clone), [{ a: 1 }, { a: 'a' }])
    both(t.union([t.array(clone), t.UnknownArray]), [{ a: 1 }])
    expect(both(t.readonly(clone), { a: 1 }).asked).toBe(true) // clone is opaque, and so is this
  })

  it('does not trust a decode that is not the one io-ts made', () => {
    const codec = t.type({ a: t.string })
    codec.decode = () => t.success({ a: 'other' })
    expect(compile(codec)({})).toEqual(E.right({ a: 'other' }))
  })

  it('never passes over a member of a union that is not certain', () => {
    const inherited: object = Object.create({ a: 1 })
    both(
      t.union([t.record(t.string, t.string), t.strict({})]),
      Object.assign(inherited, { b: 'b' }),
    )
    both(t.union([t.record(t.string, t.any), t.array(t.strict({}))]), [{ a: 1 }])
    both(t.union([t.type({ a: t.number }), t.strict({ b: t.string })]), { a: Number.NaN, b: 'b' })
    both(t.union([t.tuple([t.string]), t.array(t.string)]), ['a', 'b'])
  })

  it('strips unknown keys only where there are some', () => {
    const Plain = t.strict({ a: t.string, b: t.number })
    const Optional = t.exact(t.intersection([t.type({ a: t.string }), t.partial({ b: t.number })]))
    const Undefined = t.strict({ a: t.string, b: t.union([t.number, t.undefined]) })
    const Inherited = t.strict({ a: t.string, toString: t.unknown })
    for (const codec of [Plain, Optional, Undefined, Inherited, t.exact(Plain.type)]) {
      both(codec, { a: 'a', b: 1 })
      both(codec, { a: 'a', c: 1 })
      both(codec, { a: 'a', b: undefined })
      both(codec, { a: 'a', b: undefined, c: 1 })
      both(codec, { c: 1, b: 1, a: 'a' })
      both(codec, Object.assign(Object.create({ a: 'a' }), { b: 1, c: 1 }))
      both(codec, Object.assign(Object.create(null), { a: 'a', b: 1 }))
      both(codec, Object.defineProperty({ a: 'a', b: 1 }, 'c', { value: 1 }))
    }
  })

  it('strips after a nested value has been changed', () => {
    const Nested = t.strict({ a: t.strict({ b: t.string }), c: t.string })
    both(Nested, { a: { b: 'b', x: 1 }, c: 'c' })
    both(Nested, { a: { b: 'b', x: 1 }, c: 'c', d: 1 })
    both(Nested, JSON.parse('{ "a": { "b": "b", "x": 1 }, "c": "c", "__proto__": { "d": 1 } }'))
    const Hidden = t.strict({ c: t.string, a: t.strict({ b: t.string }) })
    both(Hidden, Object.defineProperty({ a: { b: 'b', x: 1 }, d: 1 }, 'c', { value: 'c' }))
  })

  it('adds a missing key that may be undefined in a type, but not in a partial', () => {
    const Maybe = t.union([t.string, t.undefined])
    const added = compile(t.type({ a: Maybe }))({})
    expect(E.isRight(added) && Object.keys(added.right)).toEqual(['a'])
    const passed = compile(t.partial({ a: Maybe }))({})
    expect(E.isRight(passed) && Object.keys(passed.right)).toEqual([])
    both(t.type({ a: t.unknown, b: Maybe }), { b: undefined })
  })

  it('strips in a record over an enumeration, and drops keys that a domain refuses', () => {
    both(t.record(t.keyof({ a: 1, b: 1 }), t.string), { a: 'a', b: 'b', c: 'c' })
    const Short = t.refinement(t.string, (key) => key.length < 2)
    both(t.record(Short, t.number), { a: 1, bb: 'not even looked at' })
    both(t.record(t.string, t.any), [1])
  })

  it('merges what the members of an intersection made', () => {
    const Upper = new t.Type<string>(
      'Upper',
      t.string.is,
      (u, c) => (typeof u === 'string' ? t.success(u.toUpperCase()) : t.failure(u, c)),
      t.identity,
    )
    both(t.intersection([t.type({ a: Upper }), t.type({ a: t.string })]), { a: 'a', b: 1 })
    both(t.intersection([t.strict({ a: t.string }), t.strict({ b: t.number })]), { a: 'a', b: 1 })
  })

  it('treats NaN, -0 and holes as io-ts does', () => {
    both(t.type({ a: t.number }), { a: Number.NaN })
    both(t.array(t.unknown), [Number.NaN])
    both(t.literal(0), -0)
    both(t.union([t.literal(-0), t.literal(0)]), 0)
    both(t.array(t.union([t.number, t.undefined])), Object.assign([1], { length: 3 }))
    both(t.array(t.number), Object.assign([1], { length: 3 }))
  })

  it('reads own __proto__ keys without being changed by them', () => {
    const u: unknown = JSON.parse('{ "__proto__": { "admin": true }, "a": "a" }')
    both(t.type({ a: t.string }), u)
    both(t.strict({ a: t.string }), u)
    both(t.record(t.string, t.unknown), u)
    both(t.type({ a: t.strict({ b: t.string }) }), { ...Object(u), a: { b: 'b', c: 1 } })
    expect({}).not.toHaveProperty('admin')
  })

  it('reads a getter once where it is taken, and throws what it throws', () => {
    const get = vi.fn(() => 'a')
    compile(t.type({ a: t.string }))(Object.defineProperty({}, 'a', { get }))
    expect(get).toHaveBeenCalledTimes(1)
    const throwing = Object.defineProperty({}, 'a', {
      get: () => {
        throw new Error('from the getter')
      },
    })
    expect(() => compile(t.type({ a: t.string }))(throwing)).toThrow('from the getter')
  })

  it('grows with a codec that holds another one twice, and not with what that makes in all', () => {
    const pair = (codec: t.Mixed): t.Mixed => t.tuple([codec, codec], 'pair')
    const pairs = Array.from({ length: 60 }).reduce<t.Mixed>(pair, t.string)
    expect(both(pairs, 'no').asked).toBe(true)
    expect(both(pair(pair(t.string)), JSON.parse('[["a","b"],["c","d"]]')).asked).toBe(false)
  })

  it('fails, and does not overflow, on very deep input', () => {
    const Tree: t.Mixed = t.recursion('Tree', (): t.Mixed => t.partial({ of: Tree }))
    const deep: unknown = JSON.parse(`${'{"of":'.repeat(200_000)}1${'}'.repeat(200_000)}`)
    const decoded = compile(Tree)(deep)
    expect(pipe(decoded, E.mapLeft(explain))).toEqual(
      E.left('the value should be nested less deeply, but is object'),
    )
  })

  it('reads an enormous text', () => {
    const text = 'a'.repeat(50_000_000)
    expect(both(t.type({ a: t.string }), { a: text }).asked).toBe(false)
    expect(both(t.keyof({ a: 1, b: 1 }), text).asked).toBe(true)
  })

  it.each([
    '"];process.exit()//',
    "'];process.exit()//",
    '`$' + '{process.exit()}`',
    '\\"];process.exit()//',
    '\n\u2028\u2029\ud800',
    '__proto__',
    '*/process.exit()/*',
  ])('writes %j into no source, as a key, a value, a tag or a name', (key) => {
    const object = (value: unknown): Record<string, unknown> => Object.fromEntries([[key, value]])
    const Field = t.type(Object.fromEntries([[key, t.string]]), key)
    expect(both(Field, object('a')).asked).toBe(false)
    expect(both(t.literal(key, key), key).asked).toBe(false)
    expect(both(t.keyof(object(null)), key).asked).toBe(false)
    expect(
      both(t.keyof(Object.fromEntries([...'abcdefgh', key].map((k) => [k, 1]))), key).asked,
    ).toBe(false)
    both(t.record(t.keyof(object(null)), t.string), object('a'))
    if (key === '__proto__') return // io-ts itself cannot build that
    const Tagged = t.union([
      t.type(Object.fromEntries([[key, t.literal(key)]])),
      t.type(Object.fromEntries([[key, t.literal('b')]])),
    ])
    expect(both(Tagged, object(key)).asked).toBe(false)
  })

  it('throws what a custom codec throws', () => {
    const Throws = new t.Type<string>(
      'Throws',
      t.string.is,
      () => {
        throw new RangeError('Invalid time value')
      },
      t.identity,
    )
    expect(() => compile(t.array(Throws))(['a'])).toThrow('Invalid time value')
  })
})
