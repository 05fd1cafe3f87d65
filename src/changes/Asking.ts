/** A ledger asked one question after the other, by code that reads from top to bottom. */
import { firstValueFrom, type Observable, takeUntil } from 'rxjs'
import { E } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import type { ObservableEither } from '../stream/index.js'
import type { Ledger, LedgerPage, LedgerQuery, LedgerRow } from './Ledger.js'

/**
 * Ends work on a ledger before its end: by a failure of the service, or without one if it was stopped. Internal: its
 * callers turn it into a value.
 */
export class PollInterrupted extends Error {
  override readonly name = 'Interrupted'
  readonly failure: AnyFailure | undefined

  constructor(failure: AnyFailure | undefined) {
    super(failure?.message ?? 'stopped')
    this.failure = failure
  }
}

/** The questions that proofs and polls ask. */
export interface Asking<A> {
  /** Resolves with a page. Rejects with `PollInterrupted`. */
  readonly page: (query: LedgerQuery) => Promise<LedgerPage<A>>
  /** Resolves with a row as it stands now; `undefined` if the service has it no more (404). */
  readonly retrieve: (id: string) => Promise<LedgerRow<A> | undefined>
  /** Requests asked for so far. */
  readonly requests: () => number
}

/** `stop`: its first value aborts what is on its way, and interrupts each question after that. */
export const asking = <A>(ledger: Ledger<A>, stop: Observable<unknown>): Asking<A> => {
  let requests = 0
  const answer = async <B>(
    question: ObservableEither<AnyFailure, B>,
  ): Promise<E.Either<AnyFailure, B>> => {
    requests++
    const none = { defaultValue: undefined }
    const answered = await firstValueFrom(question.pipe(takeUntil(stop)), none)
    if (answered === undefined) throw new PollInterrupted(undefined)
    return answered
  }
  return {
    page: async (query) => {
      const page = await answer(ledger.page(query))
      if (E.isLeft(page)) throw new PollInterrupted(page.left)
      return page.right
    },
    retrieve: async (id) => {
      const row = await answer(ledger.retrieve(id))
      if (E.isRight(row)) return row.right
      if (row.left._tag === 'Refused' && row.left.status === 404) return undefined
      throw new PollInterrupted(row.left)
    },
    requests: () => requests,
  }
}
