/** Rows without what is called `secret`. */
import { withDigitsOf } from '../../decode/digits.js'
import { ROW_LEVELS } from '../../decode/levels.js'
import { isObject } from '../../export/column/read.js'
import type { Drainable, Resumable } from '../../export/index.js'
import { E } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Page } from '../../stream/index.js'

/**
 * Without what is called `secret`, at all levels that a row may have. What is below stays as it came: such a row is
 * `beyondJson`, and not written. The value itself, if there is none.
 */
export const stripped = (u: unknown, depth = ROW_LEVELS): unknown => {
  if (!isObject(u) || depth === 0) return u
  if (Array.isArray(u)) {
    const all = u.map((one) => stripped(one, depth - 1))
    return all.some((one, i) => one !== u[i]) ? withDigitsOf(u)(all) : u
  }
  const { secret: _, ...rest }: Record<string, unknown> = u
  let isSame = !('secret' in u)
  for (const [name, value] of Object.entries(rest)) {
    rest[name] = stripped(value, depth - 1)
    isSame &&= rest[name] === value
  }
  return isSame ? u : rest
}

const strip = <A extends { readonly secret?: unknown }>(row: A): A => stripped(row) as A // it is optional

const drained = <A extends { readonly secret?: unknown }, Q>(
  list: Drainable<Page<AnyFailure, A, Q>>,
): Drainable<Page<AnyFailure, A, Q>> => ({
  drain: (project, options) =>
    list.drain(
      (page) =>
        project(
          // the texts are of those that had none: a row that had one is another object than the raw one
          E.map(({ items, raw, ...rest }: Page<AnyFailure, A, Q>) => ({
            ...rest,
            items: items.map(E.map(strip)),
            raw: raw.map((row) => stripped(row)),
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
  from: (position) => drained(list.from(position)),
})
