const MADE: ReadonlyArray<object> = [Object, Array, String, Number, Boolean].map(
  ({ prototype }) => prototype,
)

/**
 * Whether values have it without being given it: `constructor`, `__proto__`; of a text or a list that stands
 * where an object should, `length`, `link`, `0`. A field of that name must be looked for among their own.
 */
export const isInherited = (key: string): boolean =>
  MADE.some((prototype) => key in prototype) || /^\d+$/.test(key)
