interface Rows {
  readonly raw: ReadonlyArray<unknown>
}

/**
 * Whether a page has the very rows of the page before it: as many, at least two, each with an `id`, and
 * the ids equal one by one. Rows without ids may be equal and yet be others, and so may one row alone, or
 * rows that all carry one id. Pages that differ do so at their first row, so this costs next to nothing.
 */
export const sameRows = (before: Rows, { raw }: Rows): boolean =>
  raw.length > 1 &&
  raw.length === before.raw.length &&
  raw.every((row, i) => {
    const id = idOf(row)
    return id !== undefined && id === idOf(before.raw[i])
  }) &&
  raw.some((row) => idOf(row) !== idOf(raw[0]))

const idOf = (row: unknown): string | undefined => {
  const { id } = Object(row)
  return typeof id === 'string' ? id : undefined
}
