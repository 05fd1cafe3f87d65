import { TypeCompiler } from '@sinclair/typebox/compiler'
import { Exit, Schema } from 'effect'
import type * as t from 'io-ts'
import { compile } from 'payments-rx/decode'
import * as v from 'valibot'
import { codecOf } from './codecs.ts'
import { ajvOf } from './peers/ajv.ts'
import { arktypeOf, isRefused } from './peers/arktype.ts'
import { effectOf } from './peers/effect.ts'
import { typeboxOf } from './peers/typebox.ts'
import { valibotOf } from './peers/valibot.ts'
import { zodOf } from './peers/zod.ts'
import type { ObjectShape } from './shapes.ts'

/** Decodes a page, item by item, into an array of results. */
export type Contender = (items: ReadonlyArray<unknown>) => ReadonlyArray<unknown>

const left = (left: unknown): object => ({ _tag: 'Left', left })

/**
 * Returns a separate loop for each contender, so that no contender is slowed down by what the engine has learned from another.
 * Contenders that only return a boolean have to create the same result.
 */
const loop = (body: string, given: object): Contender => {
  const make: unknown = new Function(
    ...Object.keys(given),
    `return (items) => {
      const out = new Array(items.length);
      for (let i = 0; i < items.length; i++) { const u = items[i]; out[i] = ${body} }
      return out
    }`,
  )
  return (make as (...given: ReadonlyArray<unknown>) => Contender)(...Object.values(given))
}

const decoding = (decode: (u: unknown) => unknown): Contender => loop('decode(u)', { decode })

const testing = (test: (u: unknown) => boolean): Contender =>
  loop('test(u) ? { _tag: "Right", right: u } : left(u)', { test, left })

const union = { enumeration: 'union', strict: false } as const
const keyof = { enumeration: 'keyof', strict: false } as const

const ours = (codec: t.Mixed): Contender => decoding(compile(codec))

export const contenders = (
  shape: ObjectShape,
  hand: (u: unknown) => boolean,
): Readonly<Record<string, () => Contender>> => ({
  'by hand': () => testing(hand),
  'payments-rx type': () => ours(codecOf(shape, keyof)),
  'payments-rx strict': () => ours(codecOf(shape, { ...union, strict: true })),
  'io-ts type, keyof': () => decoding(codecOf(shape, keyof).decode),
  'io-ts type, unions': () => decoding(codecOf(shape, union).decode),
  'io-ts strict, unions': () => decoding(codecOf(shape, { ...union, strict: true }).decode),
  ajv: () => testing(ajvOf(shape)),
  typebox: () => {
    const check = TypeCompiler.Compile(typeboxOf(shape))
    return testing((u) => check.Check(u))
  },
  arktype: () => {
    const check = arktypeOf(shape)
    return testing((u) => !isRefused(check(u)))
  },
  zod: () => {
    const schema = zodOf(shape)
    return decoding((u) => schema.safeParse(u))
  },
  valibot: () => {
    const schema = valibotOf(shape)
    return decoding((u) => v.safeParse(schema, u))
  },
  effect: () => {
    const decode = Schema.decodeUnknownExit(effectOf(shape))
    return decoding((u) => (Exit.isSuccess(decode(u)) ? u : left(u)))
  },
})
