/** The calls of the interface, one by one, with an example that was written from its document. */
import { describe, expect, it } from 'vitest'
import { isList, paramsAt } from '../../src/api/Endpoint.js'
import { rows } from '../../src/api/index.js'
import { Envelope } from '../../src/codec/common.js'
import { compile } from '../../src/decode/index.js'
import { E } from '../../src/fp.js'
import { type PreparedRequest, prepareRequest } from '../../src/http/request/prepareRequest.js'
import { examples } from './examples/index.js'

/** The day on which the examples happen. */
const NOW = Date.UTC(2026, 0, 10, 12)

it('each has an example', () => {
  expect(examples.map(({ route }) => route).sort()).toEqual(rows.map(({ route }) => route).sort())
})

describe.each(examples)('$route', ({ route, params, sent, answer }) => {
  const row = rows.find((one) => one.route === route)
  if (row === undefined) throw new Error(`no row ${route}`)

  it('is asked for', () => {
    const asked = prepareRequest(row, { check: true, now: () => NOW })(params)
    const { target, headers = {}, body } = sent
    expect(
      E.map(({ body: text = 'null', sentParams, ...rest }: PreparedRequest) => ({
        ...rest,
        body: JSON.parse(text),
      }))(asked),
    ).toEqual(
      E.right({
        method: route.split(' ')[0],
        path: target.split('?')[0],
        target,
        headers,
        body: body ?? null,
      }),
    )
  })

  it('reads its parameters back', () => {
    const codec = paramsAt(NOW)(row)
    const encoded = codec.encode(params ?? {})
    const decoded = codec.decode(encoded)
    expect(E.map(codec.encode)(decoded)).toEqual(E.right(encoded))
  })

  it('is answered', () => {
    const values = isList(row) ? envelopeOf(answer).items : [answer]
    for (const value of values) {
      const decoded = row.success.decode(value)
      expect(decoded).toEqual(E.right(value))
      if (E.isRight(decoded)) {
        expect(decoded.right).toBe(value) // untouched, not a copy
        expect(row.success.encode(decoded.right)).toEqual(value)
      }
      expect(compile(row.success)(value)).toEqual(decoded)
    }
  })

  it('is answered with finite numbers: 1e400 is Infinity to JSON.parse', () => {
    if (row.answer === 'anything') return // of any shape
    for (const value of isList(row) ? envelopeOf(answer).items : [answer]) {
      const json = JSON.stringify(value) ?? ''
      for (const { index, 0: number } of json.matchAll(/(?<=[:[,])-?\d[\d.]*(?=[,}\]])/g)) {
        const huge = JSON.parse(`${json.slice(0, index)}1e400${json.slice(index + number.length)}`)
        expect(E.isLeft(row.success.decode(huge))).toBe(true)
        expect(E.isLeft(compile(row.success)(huge))).toBe(true)
      }
    }
  })
})

const envelopeOf = (answer: unknown): Envelope => {
  const decoded = Envelope.decode(answer)
  if (E.isLeft(decoded)) throw new Error('not a list')
  return decoded.right
}
