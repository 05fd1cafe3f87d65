/** Explains unknown names of options and parameters. */

/**
 * Describes an unknown name, and suggests the name that was probably meant, or else lists the known ones. Completes the
 * sentence "x should be ...". `noun` is "option" or "parameter".
 */
export const unknownName = (noun: string, name: string, names: ReadonlyArray<string>): string => {
  const meant = similarName(name, names)
  const others = names.length === 0 ? '' : `; the ${noun}s are ${names.join(', ')}`
  return `omitted: unknown ${noun}${meant === undefined ? others : didYouMean(meant)}`
}

/** Returns the suggestion of a name, if there is one. */
export const didYouMean = (name: string | undefined): string =>
  name === undefined ? '' : ` (did you mean ${name}?)`

/** Returns the known name that differs from `name` only in case, underscores or one letter. */
export const similarName = (name: string, names: ReadonlyArray<string>): string | undefined => {
  const bare = letters(name)
  return (
    names.find((one) => letters(one) === bare) ?? names.find((one) => isOneSlip(letters(one), bare))
  )
}

const letters = (name: string): string => name.replace(/[_-]/g, '').toLowerCase()

/** Returns true if one letter was changed, added or omitted, or two adjacent letters were swapped. */
const isOneSlip = (a: string, b: string): boolean => {
  const shorter = Math.min(a.length, b.length)
  let start = 0
  while (start < shorter && a[start] === b[start]) start++
  let end = 0
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const [x, y] = [a.slice(start, a.length - end), b.slice(start, b.length - end)]
  const isSwapped = x.length === 2 && y.length === 2 && x[0] === y[1] && x[1] === y[0]
  return isSwapped || (x.length <= 1 && y.length <= 1)
}
