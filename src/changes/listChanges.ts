/** Changes of a list that is read whole in each poll, since the service offers no other way to find them. */
import { firstValueFrom, map, merge, type Observable, type SchedulerLike } from 'rxjs'
import { fromDate } from '../codec/Instant.js'
import { E } from '../fp.js'
import { rowId } from '../http/answer/readAnswer.js'
import type { AnyFailure } from '../http/Failure.js'
import { is, type OptionsOf, resolveOptions, withDefault } from '../options/index.js'
import type { Page, Pages } from '../stream/index.js'
import { later } from '../stream/later.js'
import type { FeedItem, FeedPage } from './ChangeFeed.js'
import type { Changes } from './ChangesOptions.js'
import { changesOf } from './changes.js'
import { fingerprint } from './fingerprint.js'

// model

const table = {
  /** From one reading of the list to the next, in ms. Default 10,000. */
  every: withDefault(is.positiveFinite, 10_000),
}

/** Options of the changes of a list that is read whole. */
export interface ListChangesOptions extends OptionsOf<typeof table> {}

export interface ListChangesSource<A> {
  readonly list: () => { readonly pages: Pages<AnyFailure, Page<AnyFailure, A, unknown>> }
  /** The first reading emits no rows in a final state. */
  readonly isFinal: (row: A) => boolean
  readonly timer: SchedulerLike
  readonly now: () => number
}

/** Characters of a version: 60 bits. */
const VERSION_LENGTH = 10

// constructors

/** Throws an `InvalidOption` for options that cannot work. */
export const listChanges =
  <A>(source: ListChangesSource<A>) =>
  (given: ListChangesOptions = {}): Changes<A> => {
    const { every } = resolveOptions(given, table, { context: 'changes: ' })
    return changesOf((stop) => readings(source, every, stop))
  }

async function* readings<A>(
  { list, isFinal, timer, now }: ListChangesSource<A>,
  every: number,
  stop: Observable<void>,
): AsyncGenerator<FeedPage<A>, void, undefined> {
  const versions = new Map<string, string>()
  let emitted = 0
  let isFirst = true
  for (;;) {
    const began = timer.now()
    const upTo = fromDate(new Date(now()))
    const pages = list().pages[Symbol.asyncIterator]()
    const stopping = stop.subscribe(() => void pages.return?.())
    let isWhole = true
    try {
      for await (const page of pages) {
        if (E.isLeft(page)) {
          isWhole = false
          yield [{ event: page, acknowledge: () => {} }]
          continue
        }
        const items: Array<FeedItem<A>> = []
        page.right.items.forEach((row, i) => {
          const raw = page.right.raw[i]
          const id = rowId(raw)
          const version = fingerprint(JSON.stringify(raw), VERSION_LENGTH)
          const before = id === undefined ? undefined : versions.get(id)
          if (id === undefined || before === version) return
          const acknowledge = (): void => {
            versions.set(id, version)
          }
          if (isFirst && E.isRight(row) && isFinal(row.right)) {
            acknowledge()
            return
          }
          const kind = before === undefined ? 'added' : 'changed'
          const event = E.isLeft(row)
            ? row
            : E.right({ kind, value: row.right, position: { upTo, emitted: emitted++ } } as const)
          items.push({ event, acknowledge })
        })
        yield items
      }
    } finally {
      stopping.unsubscribe()
    }
    if (isWhole) isFirst = false
    const rest = later(Math.max(0, every - (timer.now() - began)), timer).pipe(map(() => false))
    if (await firstValueFrom(merge(stop.pipe(map(() => true)), rest))) return
  }
}
