/**
 * The cost of refusals, drift and exact numbers.
 * `npm run bench -- decode extras`.
 */
import type * as t from 'io-ts'
import { compile, drift, explain, parseExact } from 'payments-rx/decode'
import { codecOf } from './codecs.ts'
import type { Contender } from './contenders.ts'
import { measured, print } from './measure.ts'
import { charge, transfer } from './shapes.ts'
import * as pages from './texts.ts'

const decoding =
  (decode: (u: unknown) => unknown): Contender =>
  (items) =>
    items.map((u) => decode(u))

const watching = (codec: t.Mixed): Contender => {
  const watch = drift().watch('GET /items', codec)
  return (items) =>
    items.map((u) => {
      watch(u)
      return u
    })
}

const explaining = (codec: t.Mixed): Contender => {
  const decode = compile(codec)
  return (items) =>
    items.map((u) => {
      const decoded = decode(u)
      return decoded._tag === 'Left' ? explain(decoded.left) : decoded
    })
}

const keyof = { strict: false, enumeration: 'keyof' } as const
const strict = { strict: true, enumeration: 'union' } as const
const invalid = (text: string): string => text.replaceAll(/"status":"[A-Z]+"/g, '"status":"OTHER"')

for (const { name, text, items, shape } of [
  { name: 'charges', text: pages.charges(1), items: 2_000, shape: charge },
  { name: 'transfers', text: pages.transfers(1), items: 50, shape: transfer },
]) {
  const refusing = Object.entries({ keyof, strict }).flatMap(([manner, of]) => {
    const codec = codecOf(shape, of)
    return [
      [`${manner}, io-ts`, decoding(codec.decode)],
      [`${manner}, compiled`, decoding(compile(codec))],
      [`${manner}, compiled and explained`, explaining(codec)],
    ] as const
  })
  const bad = invalid(text)
  print(`${name}, all refused`, await measured(bad, items, Object.fromEntries(refusing)))
  const beside = {
    'drift watched': watching(codecOf(shape, keyof)),
    'parseExact (of one page)': () => [parseExact(text)],
  }
  print(`${name}, beside decoding`, await measured(text, items, beside))
}
