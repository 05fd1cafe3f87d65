import { is, type Rule } from '../options/index.js'

/** What a guard may be. */
export const guardRule: Rule = {
  fits: (u) => u === 'learned' || u === 'safe' || is.span.fits(u),
  expected: "'learned', 'safe' or milliseconds",
}
