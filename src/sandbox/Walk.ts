/** Rows in the order of their numbers, made as one comes by them. */
// model

/** Those whose number is `from`, or beyond it in the direction of the step. */
export type Walk<A> = (from: number, step: 1 | -1) => Iterable<A>

// constructors

/** Rows that are there already, by their numbers, lowest first. */
export const inOrder =
  <A extends { readonly n: number }>(rows: ReadonlyArray<A>): Walk<A> =>
  (from, step) =>
    step === 1 ? rows.filter(({ n }) => n >= from) : rows.filter(({ n }) => n <= from).toReversed()

// combinators

export const where =
  <A>(passes: (row: A) => boolean) =>
  (walk: Walk<A>): Walk<A> =>
    function* (from, step) {
      for (const row of walk(from, step)) if (passes(row)) yield row
    }

/** The first so many, and whether there are more. */
export const firstOf = <A>(
  count: number,
  rows: Iterable<A>,
): { readonly rows: ReadonlyArray<A>; readonly isMore: boolean } => {
  const found: Array<A> = []
  for (const row of rows) {
    if (found.length === count) return { rows: found, isMore: true }
    found.push(row)
  }
  return { rows: found, isMore: false }
}
