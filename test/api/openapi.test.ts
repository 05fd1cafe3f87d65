/** The OpenAPI description takes what the codecs take: over random values, by an independent checker. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { calls } from '../../scripts/reference/calls.js'
import { openapi } from '../../scripts/reference/printOpenapi.js'
import { schemaOf } from '../../scripts/reference/schemaOf.js'
import type { Codec } from '../../src/codec/Codec.js'
import { arbitrary } from '../codec/arbitrary.js'
import { mutated } from '../codec/mutation.js'
import { runs } from '../support/runs.js'

const ajv = new Ajv2020({ strict: false, allowUnionTypes: true })
ajv.addSchema(openapi(), 'openapi')

const check = (codec: Codec<unknown>) => {
  const schema = JSON.stringify(schemaOf(codec)).replaceAll('"#/', '"openapi#/')
  return ajv.compile(JSON.parse(schema))
}

const codecs = new Map<Codec<unknown>, string>()
for (const { row } of calls) {
  codecs.set(row.success, `success of ${row.route}`)
  if (row.route.startsWith('POST ')) codecs.set(row.params, `params of ${row.route}`)
}

const wire = (u: unknown): unknown => JSON.parse(JSON.stringify(u))

describe.each(Array.from(codecs, ([codec, name]) => ({ codec, name })))('$name', ({ codec }) => {
  const fits = check(codec)

  it('fits the description', () => {
    fc.assert(
      fc.property(arbitrary(codec), (a) => {
        const written = wire(codec.encode(a))
        fits(readable(written))
        expect(fits.errors ?? []).toEqual([])
      }),
      { numRuns: runs(300) },
    )
  })

  it('fits the description also where it was changed, if it is still taken', () => {
    fc.assert(
      fc.property(arbitrary(codec), fc.nat(), (a, seed) => {
        const { value } = mutated(wire(codec.encode(a)), seed)
        if (codec.is(value)) fits(readable(wire(codec.encode(value))))
        expect(fits.errors ?? []).toEqual([])
      }),
      { numRuns: runs(300) },
    )
  })
})

/** A flag is text in a query, where OpenAPI reads it as what it says. */
const readable = (u: unknown): unknown => {
  const { allow_partial_success: flag } = Object(u)
  return flag === undefined
    ? u
    : { ...Object(u), allow_partial_success: flag === 'true' || flag === true }
}
