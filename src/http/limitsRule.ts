import type { Limits } from '../api/limits.js'
import { is, type Rule } from '../options/index.js'

/** What limits of the caller's own may be. */
export const limitsRule: Rule = is.group<Partial<Limits>>({
  global: is.positiveIntOrInfinity,
  endpoint: is.positiveIntOrInfinity,
  concurrency: is.positiveIntOrInfinity,
  logins: is.positiveIntOrInfinity,
})
