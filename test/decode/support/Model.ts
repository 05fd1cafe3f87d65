/** A description of a codec that can be printed and shrunk, made of all combinators of io-ts. */
import * as fc from 'fast-check'

export type Leaf =
  | 'string'
  | 'number'
  | 'boolean'
  | 'null'
  | 'undefined'
  | 'void'
  | 'unknown'
  | 'any'
  | 'bigint'
  | 'UnknownArray'
  | 'UnknownRecord'
  | 'object'
  | 'Function'
  | 'never'
  | 'Int'
  | 'open'
  | 'NumberFromString'
  | 'DefaultsToText'
  | 'AlwaysNaN'
  | 'TextOfAnything'

export type Wrapper =
  | 'array'
  | 'readonlyArray'
  | 'readonly'
  | 'refinement'
  | 'brand'
  | 'record'
  | 'keyof record'
  | 'union record'
  | 'literal record'
  | 'refined record'
  | 'renaming record'
  | 'fallback clone'
  | 'untouched clone'
  | 'pipe'
  | 'tree'
  | 'optional tree'

export type StructKind =
  | 'type'
  | 'partial'
  | 'strict'
  | 'exact partial'
  | 'exact refinement'
  | 'exact readonly'
  | 'recursive'

export type Fields = ReadonlyArray<readonly [key: string, model: Model]>

export type Model =
  | { readonly leaf: Leaf }
  | { readonly literal: string | number | boolean }
  | { readonly keyof: ReadonlyArray<string> }
  | { readonly wrap: Wrapper; readonly inner: Model }
  | { readonly struct: StructKind; readonly fields: Fields }
  | { readonly both: Fields; readonly and: Fields; readonly exact: boolean }
  | { readonly union: ReadonlyArray<Model> }
  | { readonly intersection: ReadonlyArray<Model> }
  | { readonly tuple: ReadonlyArray<Model> }
  | { readonly tagged: ReadonlyArray<Fields>; readonly strict: boolean; readonly old: boolean }

export const keys = [
  'a',
  'b',
  'c',
  'tag',
  '1',
  '',
  'toString',
  'constructor',
  '__proto__',
  '"];process.exit()//',
  '`$\n',
  '\u2028\ud800',
] as const

const key = fc.constantFrom(...keys.slice(0, 3), ...keys.slice(0, 3), ...keys)

const leaf = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      leaf: fc.constantFrom<Leaf>(
        ...(['string', 'string', 'string', 'number', 'number', 'boolean', 'null'] as const),
        ...(['undefined', 'void', 'unknown', 'any', 'bigint', 'UnknownArray'] as const),
        ...(['UnknownRecord', 'object', 'Function', 'never', 'Int', 'open'] as const),
        ...(['NumberFromString', 'DefaultsToText', 'AlwaysNaN', 'TextOfAnything'] as const),
      ),
    }),
  },
  fc.record({ literal: fc.constantFrom('a', 'b', '', 0, -0, 1, Number.NaN, true, false) }),
  fc.record({ keyof: fc.uniqueArray(fc.constantFrom(...keys, 'd', 'e', 'f'), { maxLength: 12 }) }),
)

const fieldsOf = (model: fc.Arbitrary<Model>, maxLength: number): fc.Arbitrary<Fields> =>
  fc.uniqueArray(fc.tuple(key, model), { selector: ([name]) => name, maxLength })

export const model: fc.Arbitrary<Model> = fc.letrec<{ model: Model }>((tie) => {
  const inner = tie('model')
  const several = fc.array(inner, { minLength: 2, maxLength: 3 })
  return {
    model: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      { weight: 3, arbitrary: leaf },
      {
        weight: 4,
        arbitrary: fc.record({
          struct: fc.constantFrom<StructKind>(
            ...(['type', 'type', 'partial', 'strict', 'exact partial'] as const),
            ...(['exact refinement', 'exact readonly', 'recursive'] as const),
          ),
          fields: fieldsOf(inner, 4),
        }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          wrap: fc.constantFrom<Wrapper>(
            ...(['array', 'array', 'readonlyArray', 'readonly', 'refinement', 'brand'] as const),
            ...(['record', 'keyof record', 'union record', 'literal record'] as const),
            ...(['refined record', 'renaming record', 'fallback clone'] as const),
            ...(['untouched clone', 'pipe', 'tree', 'optional tree'] as const),
          ),
          inner,
        }),
      },
      fc.record({ both: fieldsOf(inner, 3), and: fieldsOf(inner, 3), exact: fc.boolean() }),
      { weight: 2, arbitrary: fc.record({ union: several }) },
      fc.record({ intersection: several }),
      fc.record({ tuple: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
      fc.record({
        tagged: fc.array(fieldsOf(inner, 2), { minLength: 2, maxLength: 3 }),
        strict: fc.boolean(),
        old: fc.boolean(),
      }),
    ),
  }
}).model
