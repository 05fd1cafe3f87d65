import * as fc from 'fast-check'
import type * as t from 'io-ts'
import { expect, it } from 'vitest'
import { compile, type Decoder } from '../../src/decode/index.js'
import { E } from '../../src/fp.js'
import { runs } from '../support/runs.js'
import { codecOf } from './support/codecOf.js'
import { model } from './support/Model.js'
import { partsOf, same } from './support/same.js'
import { valuesOf } from './support/valuesOf.js'

const codecs = runs(400)
const valuesPerCodec = 12

const sample = model.chain((m) =>
  fc.tuple(
    fc.constant(m),
    fc.array(valuesOf(m), { minLength: valuesPerCodec, maxLength: valuesPerCodec }),
  ),
)

type Answer = { readonly thrown: string } | { readonly answer: E.Either<t.Errors, unknown> }

const answer = (decode: Decoder<unknown>, u: unknown): Answer => {
  try {
    return { answer: decode(u) }
  } catch (thrown) {
    return { thrown: String(thrown) }
  }
}

/**
 * Compares the two answers, and says whether the value was taken. io-ts throws over a hostile value
 * (keys that cannot be set) even in a member of a union that has refused it already: that one place
 * need not be reached.
 */
const check = (codec: t.Mixed, decode: Decoder<unknown>, u: unknown): boolean => {
  const [theirs, ours] = [answer(codec.decode, u), answer(decode, u)]
  if ('thrown' in theirs && 'answer' in ours) return false
  if (!same(theirs, ours, partsOf([u, codec]))) {
    expect(ours).toEqual(theirs)
    expect.fail('equal, but not the same objects or not in the same order')
  }
  return 'answer' in ours && E.isRight(ours.answer)
}

it(`decoders answer as io-ts does, for ${codecs * valuesPerCodec} cases`, () => {
  let taken = 0
  fc.assert(
    fc.property(sample, ([m, values]) => {
      const codec = codecOf(m)
      const decode = compile(codec)
      for (const u of values) if (check(codec, decode, u)) taken++
    }),
    { numRuns: codecs, endOnFailure: codecs > 10_000 },
  )
  expect(taken / (codecs * valuesPerCodec)).toBeGreaterThan(0.15) // the values are to the point
})
