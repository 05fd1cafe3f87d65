import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import type { Codec } from '../../src/codec/Codec.js'
import { causes } from '../../src/decode/index.js'
import { E } from '../../src/fp.js'
import { runs } from '../support/runs.js'
import { arbitrary } from './arbitrary.js'
import { mutated } from './mutation.js'

/** How many values each codec meets. */
const VALUES = runs(2_000)

/** How many of them are spoilt. */
const SPOILT = runs(1_000)

/** How many times it meets something else altogether. */
const OTHERS = runs(100)

const wire = (u: unknown): unknown => JSON.parse(JSON.stringify(u))

const isAtOrBelow =
  (path: string) =>
  (at: string): boolean =>
    path === '' || at === path || at.startsWith(`${path}.`) || at.startsWith(`${path}[`)

/** The laws of every codec, over random values that are derived from it. */
export const laws = (name: string, codec: Codec<unknown>): void => {
  const values = arbitrary(codec)

  describe(name, () => {
    it('reads back what it writes, over JSON', () => {
      fc.assert(
        fc.property(values, (a) => {
          const back = codec.decode(wire(codec.encode(a)))
          return E.isRight(back) && isDeepStrictEqual(back.right, a)
        }),
        { numRuns: VALUES },
      )
    })

    it('says where a value is spoilt, and never throws', () => {
      let refused = 0
      fc.assert(
        fc.property(values, fc.nat(), (a, seed) => {
          const { value, path } = mutated(wire(codec.encode(a)), seed)
          const decoded = codec.decode(value)
          if (E.isRight(decoded)) return
          refused++
          const paths = causes(decoded.left).map((cause) => cause.path)
          if (!paths.some(isAtOrBelow(path))) expect(paths).toContain(path)
        }),
        { numRuns: SPOILT },
      )
      expect(refused).toBeGreaterThanOrEqual(codec === t.unknown ? 0 : SPOILT / 2)
    })

    it('takes anything for an answer', () => {
      fc.assert(
        fc.property(fc.anything(), (u) => {
          const decoded = codec.decode(u)
          if (E.isLeft(decoded)) expect(causes(decoded.left).length).toBeGreaterThan(0)
        }),
        { numRuns: OTHERS },
      )
    })
  })
}
