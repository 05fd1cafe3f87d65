import { isObject } from '../../export/column/read.js'
import type { Drainable, Resumable } from '../../export/index.js'
import { E } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import { scrubAll, scrubber } from '../../http/secrets.js'
import type { Page } from '../../stream/index.js'
import type { Connection } from '../connection.js'

const stripped = (u: unknown): unknown => {
  if (!isObject(u) || !('secret' in u)) return u
  const { secret: _, ...rest } = u
  return rest
}

const strip = <A extends { readonly secret?: unknown }>(row: A): A => {
  if (!('secret' in row)) return row
  const { secret: _, ...rest } = row
  return rest as A // it is optional
}

const drained = <A extends { readonly secret?: unknown }, Q>(
  list: Drainable<Page<AnyFailure, A, Q>>,
): Drainable<Page<AnyFailure, A, Q>> => ({
  drain: (project, options) =>
    list.drain(
      (page) =>
        project(
          E.map(({ items, raw, texts: _, ...rest }: Page<AnyFailure, A, Q>) => ({
            ...rest,
            items: items.map(E.map(strip)),
            raw: raw.map(stripped),
          }))(page),
        ),
      options,
    ),
})

/** The same list without the `secret` of its rows: it is for who verifies signatures, not for a file. */
export const withoutSecret = <A extends { readonly secret?: unknown }, Q>(
  list: Resumable<Q, Page<AnyFailure, A, Q>>,
): Resumable<Q, Page<AnyFailure, A, Q>> => ({
  ...drained(list),
  from: (standing) => drained(list.from(standing)),
})

/** Rows that are put aside are kept as they came, but for what no file is to hold. */
export const shownOf = ({ credentials, partner }: Connection): ((raw: unknown) => unknown) => {
  const key = credentials !== undefined && 'apiKey' in credentials ? [credentials.apiKey] : []
  const scrub = scrubAll(
    scrubber([...key, ...(partner === undefined ? [] : [partner.clientSecret])]),
  )
  return (raw) => scrub(stripped(raw))
}
