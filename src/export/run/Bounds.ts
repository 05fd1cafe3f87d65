import * as t from 'io-ts'

export const Bounds = t.readonly(
  t.type({
    /** In ms since 1970: from `from` on, up to and without `to`. `from` 0: whatever is oldest. */
    from: t.number,
    /** In ms since 1970, exclusive. */
    to: t.number,
  }),
)

/** From when to when rows were created. */
export interface Bounds extends t.TypeOf<typeof Bounds> {}
