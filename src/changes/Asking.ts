/** Sequential requests to a ledger, for code that reads from top to bottom. */
import { firstValueFrom, type Observable, takeUntil } from 'rxjs'
import { plural } from '../decode/plural.js'
import { E } from '../fp.js'
import { truncated } from '../http/answer/failureOf.js'
import type { AnyFailure } from '../http/Failure.js'
import { LIST_DEFAULTS } from '../http/list/List.js'
import type { ObservableEither } from '../stream/either/ObservableEither.js'
import { fingerprint } from './fingerprint.js'
import {
  type Ledger,
  type LedgerPage,
  type LedgerQuery,
  type LedgerRow,
  PAGE_SIZE,
} from './Ledger.js'

/** Thrown if work on a ledger ends early: with a failure of the service, or none if stopped. Callers convert it to a value. */
export class PollInterrupted extends Error {
  override readonly name = 'Interrupted'
  readonly failure: AnyFailure | undefined

  constructor(failure: AnyFailure | undefined) {
    super(failure?.message ?? 'stopped')
    this.failure = failure
  }
}

/** Requests of proofs and polls. */
export interface Asking<A> {
  /** Resolves with a page. Rejects with `PollInterrupted`. */
  readonly page: (query: LedgerQuery) => Promise<LedgerPage<A>>
  /** Reads a list page by page. Rejects with `PollInterrupted` if reading is interrupted, or if the list does not end. */
  readonly pages: (
    query: Omit<LedgerQuery, 'page' | 'size'>,
  ) => AsyncGenerator<LedgerPage<A>, void, undefined>
  /** Resolves with the current version of a row; `undefined` if the service no longer has it (404). */
  readonly retrieve: (id: string) => Promise<LedgerRow<A> | undefined>
  /** Number of requests sent so far. */
  readonly requests: () => number
  /** Number of rows received from lists so far, including repeated ones. */
  readonly rows: () => number
}

/** `stop`: when it emits, requests in flight and all later requests are interrupted. */
export const asking = <A>(ledger: Ledger<A>, stop: Observable<unknown>): Asking<A> => {
  let requests = 0
  let rows = 0
  const answer = async <B>(
    question: ObservableEither<AnyFailure, B>,
  ): Promise<E.Either<AnyFailure, B>> => {
    requests++
    const none = { defaultValue: undefined }
    const answered = await firstValueFrom(question.pipe(takeUntil(stop)), none)
    if (answered === undefined) throw new PollInterrupted(undefined)
    return answered
  }
  const page = async (query: LedgerQuery): Promise<LedgerPage<A>> => {
    const found = await answer(ledger.page(query))
    if (E.isLeft(found)) throw new PollInterrupted(found.left)
    rows += found.right.rows.length
    return found.right
  }
  return {
    page,
    pages: (query) => pagesOf((number) => page({ ...query, page: number, size: PAGE_SIZE })),
    retrieve: async (id) => {
      const row = await answer(ledger.retrieve(id))
      if (E.isRight(row)) return row.right
      if (row.left._tag === 'Refused' && row.left.status === 404) return undefined
      throw new PollInterrupted(row.left)
    },
    requests: () => requests,
    rows: () => rows,
  }
}

/** Reads pages up to the last one. Rejects with `PollInterrupted` if reading is interrupted, or if there is no last page. */
export async function* pagesOf<A>(
  read: (page: number) => Promise<LedgerPage<A>>,
): AsyncGenerator<LedgerPage<A>, void, undefined> {
  const marks = new Set<string>()
  let empty = 0
  for (let page = 0, more = true; more; page++) {
    const found = await read(page)
    const mark = fingerprint(found.rows.map(({ id }) => id).join(), MARK_LENGTH)
    if (found.rows.length > 1 && marks.has(mark)) throw endless(page, { _tag: 'SameRows' })
    marks.add(mark)
    empty = found.rows.length === 0 ? empty + 1 : 0
    more = found.more
    yield found
    if (more && empty > LIST_DEFAULTS.maxEmptyPages) {
      throw endless(page + 1, { _tag: 'OnlyEmpty', pages: empty })
    }
    if (more && page + 1 >= LIST_DEFAULTS.maxPages) {
      throw endless(page + 1, { _tag: 'TooLong', pages: page + 1 })
    }
  }
}

/** The list as failures name it. */
const ENDPOINT = 'GET /api/v1/charges'

/** Length of the hash that identifies a page, in characters: 60 bits. */
const MARK_LENGTH = 10

const endless = (page: number, cut: Parameters<typeof truncated>[1]): PollInterrupted => {
  const ended = `ended before page_num ${page}, after ${plural(page, 'page')}`
  const at = { endpoint: ENDPOINT, position: { page_num: page }, pages: page, ended }
  return new PollInterrupted(truncated(at, cut))
}
