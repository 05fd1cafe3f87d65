import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rows } from '../../src/api/index.js'
import type { Codec } from '../../src/codec/Codec.js'
import { causes } from '../../src/decode/index.js'
import { E } from '../../src/fp.js'
import { arbitrary } from './arbitrary.js'
import { mutated } from './mutation.js'

/** How many values each codec meets. */
const RUNS = 10_000

const codecs = new Map<Codec<unknown>, string>()
for (const { route, params, success } of rows) {
  if (!codecs.has(params)) codecs.set(params, `params of ${route}`)
  if (!codecs.has(success)) codecs.set(success, `success of ${route}`)
}

const wire = (u: unknown): unknown => JSON.parse(JSON.stringify(u))

const isAtOrBelow =
  (path: string) =>
  (at: string): boolean =>
    path === '' || at === path || at.startsWith(`${path}.`) || at.startsWith(`${path}[`)

describe.each(Array.from(codecs, ([codec, name]) => ({ codec, name })))('$name', ({ codec }) => {
  const values = arbitrary(codec)

  it('reads back what it writes, over JSON', () => {
    fc.assert(
      fc.property(values, (a) => {
        const back = codec.decode(wire(codec.encode(a)))
        return E.isRight(back) && isDeepStrictEqual(back.right, a)
      }),
      { numRuns: RUNS },
    )
  })

  it('says where a value is spoilt, and never throws', () => {
    fc.assert(
      fc.property(values, fc.nat(), (a, seed) => {
        const { value, path } = mutated(wire(codec.encode(a)), seed)
        const decoded = codec.decode(value)
        if (E.isRight(decoded)) return
        const paths = causes(decoded.left).map((cause) => cause.path)
        if (!paths.some(isAtOrBelow(path))) expect(paths).toContain(path)
      }),
      { numRuns: RUNS / 2 },
    )
  })

  it('takes anything for an answer', () => {
    fc.assert(
      fc.property(fc.anything(), (u) => {
        const decoded = codec.decode(u)
        if (E.isLeft(decoded)) expect(causes(decoded.left).length).toBeGreaterThan(0)
      }),
      { numRuns: 300 },
    )
  })
})
