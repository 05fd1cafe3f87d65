import * as t from 'io-ts'

export const Bounds = t.readonly(
  t.type({
    /** The earliest time of creation, in ms since 1970, inclusive. 0: whatever is oldest. */
    from: t.number,
    /** The end of the times of creation, in ms since 1970, exclusive. */
    to: t.number,
  }),
)

/** From when to when rows were created. */
export interface Bounds extends t.TypeOf<typeof Bounds> {}
