/** One poll of a list that is read in full, because the service offers no other way to find changes. */
import { E } from '../fp.js'
import { rowId } from '../http/answer/readAnswer.js'
import type { AnyFailure } from '../http/Failure.js'
import type { StoreError } from '../store/StoreError.js'
import type { Page } from '../stream/index.js'
import { type Absences, countMissing } from './Absences.js'
import { PollInterrupted } from './Asking.js'
import { fingerprint } from './fingerprint.js'

/** A row whose version is not in the memory. */
export interface RowNews<A> {
  /** The decoded row, or why it does not decode. */
  readonly row: E.Either<AnyFailure, A>
  /** True if the memory has no version of the row. */
  readonly isNew: boolean
  readonly remember: () => void
}

/** Result of a page, or of the end of the list. */
export interface ListPage<A> {
  readonly news: ReadonlyArray<RowNews<A>>
  /** Number of rows that are gone; present at the end of the list. */
  readonly gone: number
  /** Why missing rows are not accepted as gone. Reported once per number of rows. */
  readonly doubt?: StoreError
}

type ReadPage<A> = E.Either<AnyFailure, Page<AnyFailure, A, unknown>>

/** Length of a version, in characters: 60 bits. */
const VERSION_LENGTH = 10

/** Compares each reading of a list with a memory of hashes. */
export class ListPoll<A> {
  readonly #absences: Absences
  /** Versions by id, or by themselves for rows without an id. */
  readonly #versions = new Map<string, string>()
  /** The ids of the existing rows, each once; empty for a row without one. */
  #there: ReadonlyArray<string>

  constructor(absences: Absences, there: ReadonlyArray<string> = []) {
    this.#absences = absences
    this.#there = there
  }

  /** Reads the list. Rejects with `PollInterrupted`. */
  async *next(
    pages: AsyncIterable<ReadPage<A>> | Iterable<ReadPage<A>>,
  ): AsyncGenerator<ListPage<A>, void, undefined> {
    const seen = new Set<string>()
    const here: Array<string> = []
    for await (const page of pages) {
      if (E.isLeft(page)) throw new PollInterrupted(page.left)
      const { items, raw } = page.right
      yield { news: items.flatMap((row, i) => this.#newsOf(row, raw[i], seen, here)), gone: 0 }
    }
    const absences = this.#absences
    absences.held.clear()
    for (let i = countMissing(this.#there, seen, here.length); i > 0; i--) {
      absences.hold([{ id: String(i), created: Number.NaN, status: '' }])
    }
    const total = async () => this.#there.length
    const { gone, doubt } = await absences.judge(total, seen.size === 0)
    if (absences.held.size === 0) {
      this.#there = here
      for (const id of this.#versions.keys()) if (!seen.has(id)) this.#versions.delete(id)
    }
    yield { news: [], gone: gone.length, ...(doubt && { doubt }) }
  }

  #newsOf(
    row: E.Either<AnyFailure, A>,
    raw: unknown,
    seen: Set<string>,
    here: Array<string>,
  ): ReadonlyArray<RowNews<A>> {
    const version = fingerprint(JSON.stringify(raw) ?? '', VERSION_LENGTH)
    const own = rowId(raw)
    const id = own ?? version
    if (own === undefined || !seen.has(id)) here.push(own ?? '')
    const known = this.#versions.get(id)
    seen.add(id)
    const remember = () => void this.#versions.set(id, version)
    return known === version ? [] : [{ row, isNew: known === undefined, remember }]
  }
}
