/**
 * Stages of a sync for rows that the service lists only by parent: the items of all batches.
 *
 *     list of batches       final, changed since its items were read, or not as many here    its items are read
 *                     ----> not final                                                        its items are read
 *                     ----> final, unchanged, and as many items here as it says              they are here
 *     batches here that the list does not show    asked for by id; 404: their items are gone
 *
 * Each row has the version of its parent with which it was read, so the destination itself shows what is left to do. There is
 * no position: a killed run resumes by comparing versions. A parent states its number of rows. If that number was read, the
 * rows of the parent are complete, and existing rows that were not listed are marked as gone.
 */
import { defer, firstValueFrom, ignoreElements, ReplaySubject, takeUntil, toArray } from 'rxjs'
import { doubtOf } from '../../changes/Absences.js'
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

interface ChildReading<A> {
  readonly transfer: Transfer<A, A>
  readonly source: ChildSource<A>
  readonly here: ChildRows
  readonly now: () => Millis
}

interface ParentCounts {
  rows: number
  parents: number
  gone: number
  readonly differences: Array<SyncDifference>
  /** Ids of missing rows, by parent. They are marked as gone at the end, unless there are too many. */
  readonly held: Map<string, ReadonlyArray<string>>
  /** Existing rows. */
  total: number
}

interface ParentReading<A> {
  readonly parent: Parent
  readonly pages: ReadonlyArray<SourcePage<A>>
  readonly ids: ReadonlySet<string>
  readonly failure?: AnyFailure
}

/** Maximum number of parents read concurrently. */
const WIDTH = 8

/** Number of times that a parent's rows are read per night if their number does not match the parent's. */
const READINGS = 2

export const childStages =
  <A>(
    source: ChildSource<A>,
    now: () => Millis,
    allowGone?: number,
  ): TransferPlan<A, A>['stages'] =>
  (transfer) => {
    const { session, recorder } = transfer
    const here = session.queries.children
    if (here === undefined) return [] // a destination without them was rejected at the start
    const to = now()
    recorder.bounds = { from: 0, to }
    recorder.newest = to
    const held = new Map<string, ReadonlyArray<string>>()
    const found: ParentCounts = { rows: 0, parents: 0, gone: 0, differences: [], held, total: 0 }
    const reading = { transfer, source, here, now }
    return [
      () =>
        transfer.read({
          source: asSource(() => new Children(reading, found)),
          boundsOf: () => undefined,
        }),
      () =>
        defer(async () => {
          const { rows, parents, gone, differences, total } = found
          const until = Math.floor(to / 1_000)
          const proven = rows - transfer.shown().rejects
          const proof = { parents, rows: proven, until, late: 0, depth: { answered: 0 } }
          const { name } = session.destination
          transfer.doubt = doubtOf(name, { gone, total, isEmpty: parents === 0 }, allowGone)
          if (transfer.doubt !== undefined) {
            const stretch = { from: Number.NEGATIVE_INFINITY, to: until }
            const difference = { ...stretch, here: total, there: total - gone }
            transfer.proof = { ...proof, gone: 0, differences: [...differences, difference] }
            return
          }
          for (const [parent, ids] of held) {
            await session.tracked(() => here.markGone(parent, ids, now()))
          }
          transfer.proof = { ...proof, gone, differences }
        }).pipe(ignoreElements()),
    ]
  }

/** Returns a source that each run reads from the beginning. */
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

/** Reads the rows of all due parents. */
class Children<A> {
  readonly #reading: ChildReading<A>
  readonly #found: ParentCounts
  readonly #stop = new ReplaySubject<void>(1)
  #page = 0

  constructor(reading: ChildReading<A>, found: ParentCounts) {
    this.#reading = reading
    this.#found = found
  }

  /** Aborts requests in flight. */
  stop(): void {
    this.#stop.next()
  }

  async *pages(): AsyncGenerator<PageOrFailure<A>, void, undefined> {
    const { transfer, source, here } = this.#reading
    await transfer.place() // rows left by a killed run
    const counts = new Map(await here.counts())
    for (const { rows } of counts.values()) this.#found.total += rows
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

  /** Reads the rows of a parent. If their number does not match, reads both the parent and its rows again. */
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

  /** Resolves with the current version of a parent; `undefined` if stopped. */
  #retrieve(id: string): Promise<E.Either<AnyFailure, Parent> | undefined> {
    const parent = this.#reading.source.parent(id).pipe(takeUntil(this.#stop))
    return firstValueFrom(parent, { defaultValue: undefined })
  }

  /** Emits the rows of a parent, and records existing rows that were not listed. */
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

  /** Reads a parent that was not listed. If the service does not have it, its rows are gone. */
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
    const { transfer, here } = this.#reading
    const ids = await transfer.session.tracked(() => here.ids(parent))
    const gone = ids.filter((id) => !listed.has(id))
    if (gone.length > 0) this.#found.held.set(parent, gone)
    this.#found.gone += gone.length
  }

  /** Returns a page that others follow, because the list would count as ended without a next page. */
  #numbered(page: SourcePage<A>): SourcePage<A> {
    this.#page++
    const position = { page_num: this.#page }
    return { ...page, position, next: O.some(position) }
  }
}

/** Returns true if all rows of a parent are present in their final version. */
const isHere = (parent: Parent, count: ChildCount | undefined): boolean => {
  const { rows, oldest } = count ?? { rows: 0, oldest: Number.POSITIVE_INFINITY }
  return parent.isFinal && rows === parent.rows && oldest >= toMillis(parent.updatedAt)
}

const isAbsent = (failure: AnyFailure): boolean =>
  failure._tag === 'Refused' && failure.status === 404
