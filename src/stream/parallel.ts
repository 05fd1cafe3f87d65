import { tap } from 'rxjs'
import { E, O } from '../fp.js'
import { checkArgument, checkOptions, is, type OptionsTable } from '../options/index.js'
import { ahead } from './ahead.js'
import { askAhead } from './askAhead.js'
import { asTheyCome } from './asTheyCome.js'
import { type Paged, views } from './Paged.js'
import type { Pull } from './Pull.js'
import { type Page, type PaginateOptions, paginate } from './paginate.js'

// model

/** How pages that are asked for together are delivered. */
export interface ParallelOptions {
  /** `false`: pages are delivered as they come. Default `true`. */
  readonly ordered?: boolean
}

// constructors

const rules: OptionsTable<ParallelOptions> = { ordered: is.boolean }

/**
 * The list as `paged` has it, with up to `count` of its pages on their way at a time. Pages asked for
 * less pages consumed never exceed `count`, or `prefetch + 1` where that is more. Where no position
 * can be told before its page came, it is read one page ahead. Throws an `InvalidOption` for a
 * `count` that is none, or an option that there is not.
 */
export const inParallel = (count: number, options: ParallelOptions = {}) => {
  checkArgument('parallel', count, is.positiveIntOrInfinity)
  const { ordered = true } = checkOptions(options, rules, { context: 'parallel: ' })
  return <E, A, Q>(options: PaginateOptions<E, A, Q>): Paged<E, A, Q> =>
    O.isSome(options.following?.(options.first) ?? O.none)
      ? views((prefetch) =>
          (ordered ? parallel : asTheyCome)(Math.max(count, prefetch + 1))(options)(),
        )
      : views((prefetch) => ahead(Math.max(1, prefetch))(paginate(options)()))
}

/**
 * `paginate`, with all its guards, over pages that are asked for before their turn. It begins with one
 * page on its way, and each page that goes on allows two more, up to `width`: a list of `p` pages costs
 * fewer than `2p` and fewer than `width` requests past its end. What is on its way past the end, or past
 * a page that failed, is given up as soon as that is known.
 *
 *     page 0    ---0
 *     page 1       ---1                width 3
 *     page 2       ---2
 *     page 3       ---3
 *     page 4          ---4
 */
export const parallel =
  (width: number) =>
  <E, A, Q>(options: PaginateOptions<E, A, Q>) =>
  (): Pull<E.Either<E, Page<E, A, Q>>> => {
    const pages = askAhead(width, options)
    const pull = paginate({ ...options, fetch: pages.fetch })()
    return {
      // first: a last word may be worked on for long, and what is on its way is of no use
      next: pull.next.pipe(
        tap((page) => {
          if (E.isLeft(page)) pages.end()
        }),
      ),
      close: () => {
        pages.close()
        pull.close()
      },
    }
  }
