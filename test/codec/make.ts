/** Makes values of a codec, as read off the codec: the simpler half of `arbitrary`. */
import * as fc from 'fast-check'
import * as t from 'io-ts'
import type { Schema } from '../../src/codec/Codec.js'
import { type Chance, number, oneOf, text, textOfLength, upTo } from './chance.js'

/** How much deeper a value may grow. */
export type Make = (random: Chance, depth: number) => unknown

/** Texts that a pattern allows and the codec as well, made once. */
const matching = (codec: t.Mixed, pattern: string): Make => {
  const all = fc
    .sample(fc.stringMatching(new RegExp(pattern)), { numRuns: 400, seed: 1 })
    .filter((sample) => codec.is(sample))
  return oneOf(all)
}

const whole = ({ minimum = -1_000, maximum = minimum + 10_000 }: Schema): Make =>
  upTo(maximum, minimum)

export const described = (codec: t.Mixed, schema: Schema, make: (of: t.Mixed) => Make): Make => {
  switch (schema.type) {
    case 'string':
      return schema.pattern === undefined
        ? textOfLength(schema.minLength ?? 0, schema.maxLength ?? 60)
        : matching(codec, schema.pattern)
    case 'integer':
      return whole(schema)
    case 'number':
      return number
    case 'object':
      return () => ({})
    case 'boolean':
      return (random) => random() < 0.5
    case 'array': {
      const { minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
      const list = codec instanceof t.RefinementType ? codec.type : codec
      const item = make(list.type)
      return (random, depth) =>
        Array.from({ length: upTo(Math.min(maxItems, minItems + 1), minItems)(random) }, () =>
          item(random, depth - 1),
        )
    }
  }
}

export const enumeration = (known: ReadonlyArray<string>): Make => {
  const choose = oneOf(known)
  return (random) => (random() < 0.1 ? text(random) : choose(random))
}
