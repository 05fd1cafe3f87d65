import * as t from 'io-ts'
import { part, tagOf } from './codecParts.js'
import type { Basic } from './Plan.js'

/** How io-ts validates. The `_tag` of a codec does not tell: a clone keeps it. */
export type Kind =
  | 'any'
  | 'literal'
  | 'keyof'
  | 'type'
  | 'partial'
  | 'array'
  | 'tuple'
  | 'record'
  | 'union'
  | 'tagged union'
  | 'intersection'
  | 'refinement'
  | 'recursion'
  | 'exact'

const textOf = (f: unknown): string =>
  typeof f === 'function' ? Function.prototype.toString.call(f) : ''

const one = t.type({ tag: t.literal(1) })
const two = t.type({ tag: t.literal(2) })

const samples: ReadonlyArray<readonly [Kind, t.Mixed]> = [
  ['any', t.unknown],
  ['literal', t.literal(1)],
  ['keyof', t.keyof({ a: null })],
  ['type', one],
  ['partial', t.partial({})],
  ['array', t.array(t.string)],
  ['tuple', t.tuple([t.string])],
  ['record', t.record(t.string, t.string)],
  ['union', t.union([t.string, t.number])],
  ['tagged union', t.union([one, two])],
  ['intersection', t.intersection([one, one])],
  ['refinement', t.Int],
  ['recursion', t.recursion('', () => t.string)],
  ['exact', t.exact(one)],
]

const kinds: ReadonlyMap<string, Kind> = new Map(
  samples.map(([kind, { validate }]) => [textOf(validate), kind]),
)

/** What the `validate` of a codec is, told by its source, if it is io-ts's own. */
export const kindOf = (codec: unknown): Kind | undefined =>
  kinds.get(textOf(part(codec, 'validate')))

const basics: ReadonlyArray<readonly [Basic, object]> = [
  ['null', t.null],
  ['undefined', t.undefined],
  ['undefined', t.void],
  ['string', t.string],
  ['number', t.number],
  ['bigint', t.bigint],
  ['boolean', t.boolean],
  ['list', t.UnknownArray],
  ['record', t.UnknownRecord],
  ['object', t.object],
  ['function', t.Function],
  ['never', t.never],
]

/** The test that a codec makes, if it is one of io-ts's own for a single value. */
export const basicOf = (codec: unknown): Basic | undefined =>
  basics.find(
    ([, own]) =>
      tagOf(codec) === tagOf(own) &&
      textOf(part(codec, 'validate')) === textOf(part(own, 'validate')) &&
      textOf(part(codec, 'is')) === textOf(part(own, 'is')),
  )?.[0]
