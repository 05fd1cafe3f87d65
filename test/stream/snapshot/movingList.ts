/** A list that moves while it is read: rows come, rows go, and rows of one moment change places. */
import {
  defer,
  map,
  type Observable,
  of,
  type SchedulerLike,
  timer,
  VirtualTimeScheduler,
} from 'rxjs'
import { E, O } from '../../../src/fp.js'
import {
  type Page,
  type Paged,
  paginate,
  type SnapshotOptions,
  type SnapshotPosition,
  type Span,
  snapshot,
} from '../../../src/stream/index.js'

export interface Row {
  readonly id: string
  /** ms since 1970. */
  readonly at: number
}

interface Model {
  /** The moments of the rows at the start. */
  readonly moments: ReadonlyArray<number>
  readonly order: 'ascending' | 'descending'
  /** True if the service compares whole seconds only. */
  readonly wholeSeconds: boolean
  readonly pageSize: number
  /** The service leaves out rows of the very bounds. Default: it does not. */
  readonly isExclusive?: boolean
  /** The time that a row shows, in place of its own. */
  readonly shows?: (at: number) => number
  /** The chance that a row leaves before an answer, and that one comes. */
  readonly leaving: number
  readonly coming: number
  /** The chance that rows of one moment are listed in another order than before. */
  readonly shuffling: number
  /** When new rows are made from: after everything that is read. */
  readonly future: number
  /** From 0 up to 1. */
  readonly random: () => number
  readonly timer: SchedulerLike
}

/** How a page is asked for: which rows, and which page of them. */
interface Asked {
  readonly span: Span | undefined
  readonly page: number
}

/** From one new row to the next, ms: some are made in the second after the range, then it is over. */
const EVERY = 200

const second = (ms: number): number => Math.floor(ms / 1_000)

const movingList = (model: Model) => {
  const { random, pageSize, wholeSeconds, isExclusive = false, shows = (at) => at } = model
  let rows: ReadonlyArray<Row & { readonly rank: number }> = model.moments.map((at, i) => ({
    id: `row-${i}`,
    at,
    rank: random(),
  }))
  const start = rows.map(({ id }) => id)
  let made = rows.length
  let asked = 0

  const move = (): void => {
    if (random() < model.shuffling) rows = rows.map((row) => ({ ...row, rank: random() }))
    while (random() < model.leaving) {
      const gone = Math.floor(random() * rows.length)
      rows = rows.filter((_, i) => i !== gone)
    }
    while (random() < model.coming) {
      const at = model.future + (made - start.length) * EVERY + Math.floor(random() * EVERY)
      rows = [...rows, { id: `row-${made++}`, at, rank: random() }]
    }
  }

  /** As the interface has it: both ends inclusive, in steps of a second as they are sent. */
  const isAsked =
    (span: Span | undefined) =>
    ({ at }: Row): boolean => {
      if (span === undefined) return true
      const [from, to] = [second(span.from) * 1_000, Math.ceil(span.to / 1_000) * 1_000]
      if (isExclusive) return from < at && at < to
      return wholeSeconds
        ? second(from) <= second(at) && second(at) <= second(to)
        : from <= at && at <= to
    }

  const answer = ({ span, page }: Asked): { items: ReadonlyArray<Row>; more: boolean } => {
    asked++
    move()
    const sign = model.order === 'ascending' ? 1 : -1
    const found = rows.filter(isAsked(span)).sort((a, b) => sign * (a.at - b.at) || a.rank - b.rank)
    const first = page * pageSize
    return {
      items: found.slice(first, first + pageSize).map(({ id, at }) => ({ id, at: shows(at) })),
      more: found.length > first + pageSize,
    }
  }

  const list = (span?: Span): Paged<string, Row, number> =>
    paginate<string, Row, number>({
      first: 0,
      fetch: (page) =>
        defer(() => {
          const late = 1 + Math.floor(random() * 50)
          return timer(late, model.timer).pipe(
            map((): E.Either<string, Page<string, Row, number>> => {
              const { items, more } = answer({ span, page })
              return E.right({
                items: items.map(E.right),
                raw: items,
                position: page,
                next: more ? O.some(page + 1) : O.none,
              })
            }),
          )
        }),
      key: String,
      cut: ({ _tag }) => _tag,
      maxPages: 10_000,
      maxEmptyPages: 100,
    })

  return {
    list,
    asked: () => asked,
    /** The rows that were in the list from its start till now. */
    stayed: (): ReadonlyArray<string> => {
      const there = new Set(rows.map(({ id }) => id))
      return start.filter((id) => there.has(id))
    },
    start,
  }
}

const options = (
  list: (span: Span) => Paged<string, Row, number>,
  position: SnapshotPosition,
): SnapshotOptions<string, Row> => ({
  position: of(E.right(position)),
  list,
  time: (raw) => Object(raw).at,
  key: (raw) => Object(raw).id,
  cut: ({ _tag }) => _tag,
})

/** A list that moves, and how it is read. */
export interface Moving extends Omit<Model, 'moments' | 'random' | 'timer' | 'future'> {
  readonly seed: number
  readonly rows: number
  /** Over which time they are spread, in s: from many a second to a few an hour. */
  readonly seconds: number
  /** True if rows have times between whole seconds. */
  readonly precise: boolean
  readonly width: number
  /** Where the range begins, in s after the first row; left out, it has no beginning. */
  readonly from: number | undefined
}

const START = Date.UTC(2026, 0, 1)

/** A stream of chance from a seed: mulberry32. */
const chance = (seed: number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const scene = ({ seed, rows, seconds, precise, from, width, ...how }: Moving) => {
  const random = chance(seed)
  const moments = Array.from({ length: rows }, () => {
    const at = START + random() * seconds * 1_000
    return Math.floor(precise ? at : at - (at % 1_000))
  })
  const end = START + seconds * 1_000
  const timer = new VirtualTimeScheduler()
  const list = movingList({ ...how, moments, random, future: end + 1_001, timer })
  const range: Span = { from: from === undefined ? 0 : START + from * 1_000, to: end + 1 }
  return {
    list,
    range,
    inRange: moments.flatMap((at, i) => (range.from <= at && at < range.to ? [`row-${i}`] : [])),
    read: (position: SnapshotPosition) =>
      snapshot({ ...options(list.list, position), parallel: width }),
    /** All that comes, in virtual time. */
    run: <T>(source: Observable<T>): ReadonlyArray<T> => {
      const out: Array<T> = []
      source.subscribe({
        next: (value) => out.push(value),
        error: (error: unknown) => {
          throw error
        },
      })
      timer.flush()
      return out
    },
  }
}

export const idsOf = (rows: ReadonlyArray<E.Either<string, Row>>): ReadonlyArray<string> =>
  rows.map((row) => {
    if (E.isLeft(row)) throw new Error(row.left)
    return row.right.id
  })
