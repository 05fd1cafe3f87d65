import type { RowTexts } from '../stream/index.js'

/** Rows that have their texts with them, so that what writes JSON need not write it anew. */
const texts = Symbol('texts')

type Texts = () => RowTexts | undefined

const isTexts = (u: unknown): u is Texts => typeof u === 'function'

/** The same array of rows, as it came: `cut` gives their JSON, where that is known. */
export const asCame = <A>(rows: ReadonlyArray<A>, cut: Texts): ReadonlyArray<A> =>
  Object.defineProperty(rows, texts, { value: cut })

/** The JSON of the rows as the service wrote it, where these are rows as they came. */
export const textsOf = (rows: ReadonlyArray<unknown>): RowTexts | undefined => {
  const cut: unknown = Reflect.get(rows, texts)
  return isTexts(cut) ? cut() : undefined
}
