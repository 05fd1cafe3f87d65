import { type RowTexts, someOf } from '../stream/index.js'

/** Rows that have their texts with them, so that what writes JSON need not write it anew. */
const texts = Symbol('texts')

/** Made when they are asked for. */
type LazyTexts = () => RowTexts | undefined

/** An array like any other, but for what is put here. */
interface Rows extends ReadonlyArray<unknown> {
  readonly [texts]?: LazyTexts
}

/** The same array of rows, as it came: `lazy` gives their JSON, where that is known. */
export const asCame = <A>(rows: ReadonlyArray<A>, lazy: LazyTexts): ReadonlyArray<A> =>
  Object.defineProperty(rows, texts, { value: lazy })

/** Whether rows have their texts with them. */
export const haveTexts = (rows: ReadonlyArray<unknown>): boolean => Reflect.has(rows, texts)

/** The JSON of the rows as the service wrote it, where these are rows as they came. */
export const textsOf = (rows: Rows): RowTexts | undefined => rows[texts]?.()

/** Some of the rows, which have their texts with them if all have. */
export const sliced = <A>(rows: ReadonlyArray<A>, from: number, to: number): ReadonlyArray<A> => {
  if (from === 0 && to >= rows.length) return rows
  const some = rows.slice(from, to)
  if (!haveTexts(rows)) return some
  const places = some.map((_, i) => from + i)
  return asCame(some, () => {
    const all = textsOf(rows)
    return all && someOf(places, all)
  })
}
