/** Laws for any body, secret and time. */
import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { E } from '../../src/fp.js'
import { at, headers, NOW, sign, TIMESTAMP, tagOf, verified } from './support.js'

const secret = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text.trim() === text)

const event = fc.record({
  id: fc.string({ unit: 'grapheme' }),
  name: fc.string(),
  data: fc.jsonValue(),
  version: fc.constant('2026-08-21'),
})

/** As any writer may have it. */
const body = fc
  .tuple(event, fc.constantFrom('', ' ', '\n  '))
  .map(([value, space]) => `${space}${JSON.stringify(value, undefined, space)}${space}`)

const bytes = fc.uint8Array({ maxLength: 200 })

it('a signed event is verified as it was', () =>
  fc.assert(
    fc.asyncProperty(body, secret, fc.nat(300_000), async (text, secret, age) => {
      const delivery = { headers: headers(text, { secret }), body: text }
      const came = await verified(delivery, { secret, timer: at(NOW + age) })
      expect(came).toMatchObject(E.right({ raw: JSON.parse(text) }))
    }),
  ))

it('any bytes are verified, event or not', () =>
  fc.assert(
    fc.asyncProperty(bytes, secret, async (body, secret) => {
      const delivery = { headers: headers(body, { secret }), body }
      expect(tagOf(await verified(delivery, { secret }))).toBe('Undecodable')
    }),
  ))

/** Returns the text with one bit of one of its characters flipped. */
const turned = (text: string, where: number, bit: number): string => {
  const all = Buffer.from(text, 'latin1')
  const at = where % all.length
  all[at] = (all[at] ?? 0) ^ (1 << bit)
  return all.toString('latin1')
}

it('a bit of the body that was turned is found', () =>
  fc.assert(
    fc.asyncProperty(body, fc.nat(), fc.nat(7), async (text, where, bit) => {
      const came = Buffer.from(text)
      const at = where % came.length
      came[at] = (came[at] ?? 0) ^ (1 << bit)
      expect(tagOf(await verified({ headers: headers(text), body: came }))).toBe('Forged')
    }),
  ))

it('a bit of the time that was turned is found, at any tolerance', () =>
  fc.assert(
    fc.asyncProperty(body, fc.nat(), fc.nat(7), async (body, where, bit) => {
      const timestamp = turned(TIMESTAMP, where, bit)
      const came = { ...headers(body), 'x-timestamp': timestamp }
      const tolerance = Number.POSITIVE_INFINITY
      expect(['Forged', 'Unsigned']).toContain(
        tagOf(await verified({ headers: came, body }, { tolerance })),
      )
    }),
  ))

it('a bit of the signature that was turned is found, unless it is letter case', () =>
  fc.assert(
    fc.asyncProperty(body, fc.nat(), fc.nat(7), async (body, where, bit) => {
      const signature = turned(sign(body), where, bit)
      fc.pre(signature.toLowerCase() !== sign(body))
      const came = { ...headers(body), 'x-signature': signature }
      expect(tagOf(await verified({ headers: came, body }))).toBe('Forged')
    }),
  ))

it('the border of time and body does not move', () =>
  fc.assert(
    fc.asyncProperty(body, fc.integer({ min: 1, max: 12 }), fc.boolean(), async (body, by, out) => {
      const moved = out
        ? { timestamp: TIMESTAMP.slice(0, -by), body: TIMESTAMP.slice(-by) + body }
        : { timestamp: TIMESTAMP + body.slice(0, by), body: body.slice(by) }
      const came = { 'x-timestamp': moved.timestamp, 'x-signature': sign(body) }
      const tolerance = Number.POSITIVE_INFINITY
      const verdict = await verified({ headers: came, body: moved.body }, { tolerance })
      expect(['Unsigned', 'Undecodable']).toContain(tagOf(verdict))
    }),
  ))

it('the order of the secrets does not matter', () =>
  fc.assert(
    fc.asyncProperty(
      fc
        .uniqueArray(secret, { minLength: 1, maxLength: 4 })
        .chain((secrets) =>
          fc.tuple(
            fc.constant(secrets),
            fc.shuffledSubarray(secrets, { minLength: secrets.length }),
            fc.option(fc.constantFrom(...secrets), { nil: 'none of them: it is longer than all' }),
          ),
        ),
      body,
      async ([secrets, shuffled, secret], body) => {
        const delivery = { headers: headers(body, { secret }), body }
        const one = await verified(delivery, { secret: secrets })
        expect(await verified(delivery, { secret: shuffled })).toEqual(one)
        expect(E.isRight(one)).toBe(secrets.includes(secret))
      },
    ),
  ))
