/** Rows that have their texts with them, so that what writes JSON need not write it anew. */
const texts = Symbol('texts')

type Texts = () => ReadonlyArray<string> | undefined

const isTexts = (u: unknown): u is Texts => typeof u === 'function'

/** The same array of rows, as it came: `cut` gives the JSON of each row, where that is known. */
export const asCame = <A>(rows: ReadonlyArray<A>, cut: Texts): ReadonlyArray<A> =>
  Object.defineProperty(rows, texts, { value: cut })

/** The JSON of each row as the service wrote it, where these are rows as they came. */
export const textsOf = (rows: ReadonlyArray<unknown>): ReadonlyArray<string> | undefined => {
  const cut: unknown = Reflect.get(rows, texts)
  return isTexts(cut) ? cut() : undefined
}
