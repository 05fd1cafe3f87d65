/**
 * What is paid for beside decoding what is well: refusals, drift and exact numbers.
 * `npm run build && node bench/decode/extras.ts`.
 */
import type * as t from 'io-ts'
import { compile, drift, explain, parseExact } from 'payments-rx/decode'
import { codecOf } from './codecs.ts'
import type { Contender } from './contenders.ts'
import { measured } from './measure.ts'
import * as pages from './pages.ts'
import { charge, transfer } from './shapes.ts'

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

const report = async (what: string, text: string, items: number, run: Contender): Promise<void> => {
  const { ns, share } = await measured(text, items, run)
  console.log(`| ${what} | ${ns.toFixed(0)} | ${share.toFixed(3)} |`)
}

const keyof = { strict: false, enumeration: 'keyof' } as const
const strict = { strict: true, enumeration: 'union' } as const
const invalid = (text: string): string => text.replaceAll(/"status":"[A-Z]+"/g, '"status":"OTHER"')

for (const { name, text, items, shape } of [
  { name: 'charges', text: pages.charges(1), items: 2_000, shape: charge },
  { name: 'transfers', text: pages.transfers(1), items: 50, shape: transfer },
]) {
  console.log(`\n| ${name} | ns an item | × JSON.parse |\n|---|--:|--:|`)
  for (const [manner, of] of Object.entries({ keyof, strict })) {
    const codec = codecOf(shape, of)
    const bad = invalid(text)
    await report(`all refused, ${manner}: io-ts`, bad, items, decoding(codec.decode))
    await report(`all refused, ${manner}: compiled`, bad, items, decoding(compile(codec)))
    await report(`all refused, ${manner}: compiled and explained`, bad, items, explaining(codec))
  }
  await report('drift watched', text, items, watching(codecOf(shape, keyof)))
  await report('parsed exactly, beside', text, items, () => [parseExact(text)])
}
