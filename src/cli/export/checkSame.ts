/** Whether an export that goes on from another one is of the same. */

import type { Purpose } from '../../export/index.js'
import { UsageError } from '../output.js'

/** What a query may differ in: from when to when. */
const TIMES = ['from_created_at', 'to_created_at']

/** How files are written, as the options have it. */
const WORDS: Readonly<Record<string, string>> = {
  name: 'format',
  compress: 'compression',
  columns: 'set of columns',
  numbers: 'precision (--exact)',
  formulas: 'kind of cells (--safe-cells)',
  amounts: 'form of amounts (--amounts)',
  apiVersion: 'version of the API (--api-version)',
}

/**
 * Throws a `WrongUse` unless what was read is what is to be read, but for the times; and `beside`
 * it, written in the same way. `path` is that of the manifest.
 */
export const checkSame = (
  path: string,
  { query, ...found }: Purpose,
  wanted: Purpose,
  beside: boolean,
): void => {
  const differs = (what: string): never => {
    throw new UsageError(`--since-last: ${path} is of another ${what}`)
  }
  if (found.resource !== wanted.resource) differs('resource')
  if (found.account !== wanted.account) differs('account')
  for (const name of Object.keys({ ...query, ...wanted.query })) {
    if (!TIMES.includes(name) && query[name] !== wanted.query[name]) differs(name)
  }
  if (!beside) return
  for (const name of Object.keys({ ...found.format, ...wanted.format })) {
    if (found.format[name] !== wanted.format[name]) differs(WORDS[name] ?? name)
  }
}
