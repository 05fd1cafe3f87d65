/** Values for a model: mostly of its shape, often spoiled in a place, sometimes hostile. */
import * as fc from 'fast-check'
import { type Fields, keys, type Model } from './Model.js'

class Custom {
  a = 'a'
  get b(): number {
    return 1
  }
}

const inherits = (own: object): object => Object.assign(Object.create({ a: 'x', b: 1 }), own)

const sparse = (): Array<unknown> => {
  const list: Array<unknown> = ['a']
  list[3] = 1
  return list
}

const hidden = (): object =>
  Object.defineProperty({ a: 'a' }, 'b', { value: 1, enumerable: false, configurable: true })

const hostile: fc.Arbitrary<unknown> = fc
  .constantFrom<() => unknown>(
    () => Number.NaN,
    () => -0,
    () => 0,
    () => undefined,
    () => null,
    () => '',
    () => 'a',
    () => '1',
    () => 10n,
    () => Symbol.iterator,
    () => Math.max,
    () => [],
    sparse,
    () => Object.assign([1, 'a'], { a: 'a', tag: 'a' }),
    () => ({}),
    () => JSON.parse('{"__proto__":{"a":"x","b":1},"a":"a"}'),
    () => JSON.parse('{"__proto__":"text","tag":"a"}'),
    () => Object.create(null),
    () => Object.assign(Object.create(null), { a: 'a', tag: 1 }),
    () => inherits({}),
    () => inherits({ a: 1, tag: true }),
    () => hidden(),
    () => Object.freeze({ a: 'a', b: Object.freeze(['a']) }),
    () => new Custom(),
    () => new Date(0),
    () => new Map([['a', 1]]),
    () => Object('text'),
    () => ({ a: 'a', [Symbol.iterator]: 1 }),
    () => ({ a: undefined, b: undefined, c: Number.NaN }),
  )
  .map((make) => make())

const anything = fc.oneof({ weight: 3, arbitrary: hostile }, fc.jsonValue({ maxDepth: 2 }))

type Entries = ReadonlyArray<readonly [key: string, value: unknown]>

const fields = (all: Fields): fc.Arbitrary<unknown> => {
  const known = all.map(([key, model]) =>
    fc.oneof(
      { weight: 12, arbitrary: valuesOf(model).map((value) => [[key, value]]) },
      fc.constant([]),
    ),
  )
  const more = fc.oneof(
    { weight: 4, arbitrary: fc.constant<Entries>([]) },
    fc.array(fc.tuple(fc.constantFrom(...keys), anything), { maxLength: 2 }),
  )
  return fc.tuple(fc.tuple(...known), more, fc.boolean()).map(([own, others, first]): object => {
    const entries = [...(first ? others : []), ...own.flat(), ...(first ? [] : others)]
    return Object.fromEntries(entries as ReadonlyArray<readonly [string, unknown]>)
  })
}

const shaped = (model: Model): fc.Arbitrary<unknown> => {
  if ('leaf' in model) {
    return fc.constantFrom<unknown>(
      'a',
      '12',
      1,
      0.5,
      -0,
      true,
      null,
      undefined,
      [],
      {},
      Number.NaN,
    )
  }
  if ('literal' in model) return fc.constant(model.literal)
  if ('keyof' in model) return fc.constantFrom(...model.keyof, 'a')
  if ('struct' in model) {
    return model.struct === 'recursive'
      ? fc
          .tuple(fields(model.fields), fc.option(fields(model.fields)))
          .map(([a, c]) => ({ ...Object(a), c }))
      : fields(model.fields)
  }
  if ('both' in model) return fields([...model.and, ...model.both])
  if ('union' in model) return fc.oneof(...model.union.map(valuesOf))
  if ('intersection' in model) {
    return fc.oneof(
      ...model.intersection.map(valuesOf),
      fc
        .tuple(...model.intersection.map(valuesOf))
        .map((all): object =>
          Object.fromEntries(all.flatMap((one) => Object.entries(Object(one)))),
        ),
    )
  }
  if ('tuple' in model) {
    return fc
      .tuple(fc.tuple(...model.tuple.map(valuesOf)), fc.array(anything, { maxLength: 1 }))
      .map(([own, others]) => [...own, ...others])
  }
  if ('tagged' in model) {
    return fc.oneof(
      ...model.tagged.map((own, i) =>
        fields(own).map((o) => ({ ...Object(o), tag: ['a', 1, true][i] })),
      ),
    )
  }
  const inner = valuesOf(model.inner)
  switch (model.wrap) {
    case 'array':
    case 'readonlyArray':
      return fc.array(inner, { maxLength: 3 })
    case 'tree':
      return fc.oneof(
        inner,
        fc.array(inner, { maxLength: 2 }).map((a) => ({ a: [...a, { a }] })),
      )
    case 'optional tree':
      return fc.tuple(inner, inner).map(([a, c]) => ({ a, b: { a: c }, c }))
    case 'record':
    case 'keyof record':
    case 'union record':
    case 'literal record':
    case 'refined record':
    case 'renaming record':
      return fc
        .array(fc.tuple(fc.constantFrom(...keys), inner), { maxLength: 4 })
        .map((all) => Object.fromEntries(all))
    default:
      return inner
  }
}

export const valuesOf = (model: Model): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(model).chain(shaped) }, anything)
