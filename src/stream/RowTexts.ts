/** The rows of a page as they came, letter by letter, cut out of its text only where they are wanted. */
export interface RowTexts {
  /** Rows there are. */
  readonly length: number
  /** The texts of some of them, by their place from 0 and in rising order, with something in between. */
  readonly join: (places: ReadonlyArray<number>, between: string) => string
}

/** Some of the rows, as if there were no others. */
export const someOf = (places: ReadonlyArray<number>, texts: RowTexts): RowTexts => ({
  length: places.length,
  join: (some, between) =>
    texts.join(
      some.map((place) => places[place] ?? texts.length),
      between,
    ),
})
