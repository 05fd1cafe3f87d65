/**
 * The stages of a sync of rows that the service lists by parent only: the items of all batches.
 *
 *     list of batches       final, changed since its items were read, or not as many here    its items are read
 *                     ----> not final                                                        its items are read
 *                     ----> final, unchanged, and as many items here as it says              they are here
 *     batches here that the list does not show    asked for by id; 404: their items are gone
 *
 * Each row has the version of its parent with which it was read, so the destination itself knows what is left to do: there
 * is no position, and a run that was killed is gone on with by looking. A parent says how many rows it has. Where as many
 * were read, the rows of the parent are proven, and those that are here and were not listed are marked as gone.
 */
import { EMPTY, firstValueFrom, ReplaySubject, takeUntil, toArray } from 'rxjs'
import { toMillis } from '../../codec/times.js'
import { E, O, withoutUndefined } from '../../fp.js'
import { rowId } from '../../http/answer/readAnswer.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Millis } from '../../stream/index.js'
import { consume, pullFrom } from '../../stream/Pull.js'
import type { Source } from '../source/ExportSource.js'
import type { Drainable, PageOrFailure, SourcePage } from '../source/SourcePage.js'
import type { ChildCount, ChildRows } from '../transfer/Destination.js'
import type { Transfer, TransferPlan } from '../transfer/Transfer.js'
import type { SyncDifference } from '../transfer/TransferEvent.js'
import type { ChildSource, Parent } from './itemsOfAllBatches.js'

// model

interface ChildReading<A> {
  readonly transfer: Transfer<A, A>
  readonly source: ChildSource<A>
  readonly here: ChildRows
  readonly now: () => Millis
}

/** Counts of the run so far. */
interface ParentCounts {
  rows: number
  parents: number
  gone: number
  readonly differences: Array<SyncDifference>
}

/** The rows of a parent, as they were read. */
interface ParentReading<A> {
  readonly parent: Parent
  readonly pages: ReadonlyArray<SourcePage<A>>
  readonly ids: ReadonlySet<string>
  readonly failure?: AnyFailure
}

/** Parents whose rows are read at a time. */
const WIDTH = 8

/** How often the rows of a parent are read in a night, where there are not as many as it says. */
const READINGS = 2

// constructors

export const childStages =
  <A>(source: ChildSource<A>, now: () => Millis): TransferPlan<A, A>['stages'] =>
  (transfer) => {
    const { session, recorder } = transfer
    const here = session.queries.children
    if (here === undefined) return [] // refused when the sync began
    const to = now()
    recorder.bounds = { from: 0, to }
    recorder.newest = to
    const found: ParentCounts = { rows: 0, parents: 0, gone: 0, differences: [] }
    const reading = { transfer, source, here, now }
    return [
      () =>
        transfer.read({
          source: asSource(() => new Children(reading, found)),
          boundsOf: () => undefined,
        }),
      () => {
        const { rows, ...counts } = found
        const until = Math.floor(to / 1_000)
        const proven = rows - transfer.shown().rejects
        transfer.proof = { ...counts, rows: proven, until, late: 0, depth: { answered: 0 } }
        return EMPTY
      },
    ]
  }

/** A list that is read from its beginning by each run. */
const asSource = <A>(open: () => Children<A>): Source<A> => {
  const drain: Drainable<A>['drain'] = (project) =>
    consume(project)(() => {
      const children = open()
      const pages = children.pages()
      return pullFrom({
        next: () => pages.next(),
        return: () => {
          children.stop()
          return pages.return()
        },
      })
    })
  return {
    pages: () => ({ drain }),
    isPosition: () => false,
    boundsOf: () => undefined,
    repeats: false,
    isLost: () => false,
  }
}

/** Reads the rows of all parents that are due. */
class Children<A> {
  readonly #reading: ChildReading<A>
  readonly #found: ParentCounts
  readonly #stop = new ReplaySubject<void>(1)
  #page = 0

  constructor(reading: ChildReading<A>, found: ParentCounts) {
    this.#reading = reading
    this.#found = found
  }

  /** Aborts what is on its way. */
  stop(): void {
    this.#stop.next()
  }

  async *pages(): AsyncGenerator<PageOrFailure<A>, void, undefined> {
    const { transfer, source, here } = this.#reading
    await transfer.place() // rows of a run that was killed
    const counts = new Map(await here.counts())
    let waiting: Array<Promise<ParentReading<A>>> = []
    for await (const parents of source.parents()) {
      if (E.isLeft(parents)) {
        yield parents
        return
      }
      for (const parent of parents.right) {
        const count = counts.get(parent.id)
        counts.delete(parent.id)
        this.#found.parents++
        if (isHere(parent, count)) this.#found.rows += parent.rows
        else waiting.push(this.#read(parent))
        if (waiting.length < WIDTH) continue
        const [first] = waiting.splice(0, 1)
        if (first !== undefined) yield* this.#written(await first)
      }
    }
    for (const answer of waiting) yield* this.#written(await answer)
    waiting = []
    for (const id of counts.keys()) yield* this.#unlisted(id)
  }

  /** Reads the rows of a parent; again with the parent as it stands then, where there are not as many as it says. */
  async #read(given: Parent): Promise<ParentReading<A>> {
    let parent = given
    for (let reading = 1; ; reading++) {
      const came = await firstValueFrom(
        this.#reading.source.children(parent).pipe(takeUntil(this.#stop), toArray()),
      )
      const pages = came.flatMap((page) => (E.isRight(page) ? [page.right] : []))
      const failure = came.find(E.isLeft)?.left
      const ids = new Set(pages.flatMap(({ raw }) => raw.flatMap((row) => rowId(row) ?? [])))
      const answer = { parent, pages, ids, ...withoutUndefined({ failure }) }
      if (failure !== undefined || ids.size === parent.rows || reading === READINGS) return answer
      const again = await this.#retrieve(parent.id)
      if (again === undefined) return answer
      if (E.isLeft(again)) return { ...answer, failure: again.left }
      parent = again.right
    }
  }

  /** Resolves with a parent as it stands now; undefined where it was stopped. */
  #retrieve(id: string): Promise<E.Either<AnyFailure, Parent> | undefined> {
    const parent = this.#reading.source.parent(id).pipe(takeUntil(this.#stop))
    return firstValueFrom(parent, { defaultValue: undefined })
  }

  /** Hands on the rows of a parent, and marks those that are here and were not listed. */
  async *#written({
    parent,
    pages,
    ids,
    failure,
  }: ParentReading<A>): AsyncGenerator<PageOrFailure<A>, void, undefined> {
    if (failure !== undefined && isAbsent(failure)) {
      yield* this.#unlisted(parent.id)
      return
    }
    for (const page of pages) yield E.right(this.#numbered(page))
    if (failure !== undefined) {
      yield E.left(failure)
      return
    }
    this.#found.rows += ids.size
    if (ids.size === parent.rows) {
      await this.#mark(parent.id, ids)
      return
    }
    const [from, to] = [Number.NEGATIVE_INFINITY, Math.floor(this.#reading.now() / 1_000)]
    this.#found.differences.push({
      parent: parent.id,
      from,
      to,
      here: ids.size,
      ...(Number.isNaN(parent.rows) ? {} : { there: parent.rows }),
    })
  }

  /** Asks for a parent that the list has not shown: gone are the rows of one that the service does not have. */
  async *#unlisted(id: string): AsyncGenerator<PageOrFailure<A>, void, undefined> {
    const parent = await this.#retrieve(id)
    if (parent === undefined) return
    if (E.isRight(parent)) {
      this.#found.parents++
      yield* this.#written(await this.#read(parent.right))
    } else if (isAbsent(parent.left)) await this.#mark(id, new Set())
    else yield parent
  }

  async #mark(parent: string, listed: ReadonlySet<string>): Promise<void> {
    const { transfer, here, now } = this.#reading
    await transfer.session.tracked(async () => {
      const gone = (await here.ids(parent)).filter((id) => !listed.has(id))
      if (gone.length > 0) await here.markGone(parent, gone, now())
      this.#found.gone += gone.length
    })
  }

  /** A page that is followed by others: the list has ended when no page comes after it. */
  #numbered(page: SourcePage<A>): SourcePage<A> {
    this.#page++
    const position = { page_num: this.#page }
    return { ...page, position, next: O.some(position) }
  }
}

/** Returns whether all rows of a parent are here as they will stay. */
const isHere = (parent: Parent, count: ChildCount | undefined): boolean => {
  const { rows, oldest } = count ?? { rows: 0, oldest: Number.POSITIVE_INFINITY }
  return parent.isFinal && rows === parent.rows && oldest >= toMillis(parent.updatedAt)
}

const isAbsent = (failure: AnyFailure): boolean =>
  failure._tag === 'Refused' && failure.status === 404
