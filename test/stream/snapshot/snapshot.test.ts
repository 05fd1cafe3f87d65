/** How a snapshot asks: lazily, no more than it may, and with few requests more than there are pages. */
import { defer, EMPTY, map, Observable, of, type Subscription, take, throwError, timer } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { E, O } from '../../../src/fp.js'
import {
  initialPosition,
  type Page,
  type SnapshotOptions,
  type SnapshotPage,
  type SnapshotPosition,
  type Span,
  snapshot,
} from '../../../src/stream/index.js'
import { marbles, marbleTest } from '../../support/marbles.js'

const SIZE = 10
const SECOND = 1_000

interface Row {
  readonly id: number
  readonly at: number
}

interface Play {
  /** One a second from 1970 on. */
  readonly rows?: number
  readonly order?: 'ascending' | 'descending'
  readonly position?: SnapshotPosition
  readonly answer?: (rows: ReadonlyArray<Row>, nth: number) => E.Either<string, ReadonlyArray<Row>>
  readonly more?: (rows: ReadonlyArray<Row>, found: ReadonlyArray<Row>) => boolean
}

type P = SnapshotPage<string, Row>

const playing = ({
  rows = 100,
  order = 'ascending',
  position = initialPosition({ from: 0, to: rows * SECOND }),
  answer = E.right,
  more = (rows, found) => found.length < rows.length,
}: Play = {}) => {
  const log = { asked: [] as Array<string>, aborted: 0, busy: 0, most: 0, consumed: 0, ahead: 0 }
  const all = Array.from({ length: rows }, (_, id): Row => ({ id, at: id * SECOND }))
  if (order === 'descending') all.reverse()

  /** One answer after 10 ms; only the first page of what is asked for is there. */
  const list = (span: Span) => ({
    pages: new Observable<E.Either<string, Page<string, Row, unknown>>>((subscriber) => {
      log.asked.push(`${span.from / SECOND}..${span.to / SECOND}`)
      log.ahead = Math.max(log.ahead, log.asked.length - log.consumed)
      log.most = Math.max(log.most, ++log.busy)
      const wanted = all.filter(({ at }) => span.from <= at && at <= span.to)
      const found = wanted.slice(0, SIZE)
      let answered = false
      const nth = log.asked.length
      subscriber.add(
        timer(10)
          .pipe(
            map(() =>
              E.map((items: ReadonlyArray<Row>) => ({
                items: items.map((row) => E.right(row)),
                raw: items,
                position: span,
                next: more(wanted, found) ? O.some(1) : O.none,
              }))(answer(found, nth)),
            ),
          )
          .subscribe((page) => {
            answered = true
            log.busy--
            subscriber.next(page)
            subscriber.complete()
          }),
      )
      return () => {
        if (answered) return
        log.aborted++
        log.busy--
      }
    }),
  })

  const options: SnapshotOptions<string, Row> = {
    position: of(E.right(position)),
    list,
    time: (raw) => Object(raw).at,
    key: (raw) => String(Object(raw).id),
    cut: (cut, { slices }, pages) => `${cut._tag} after ${pages}, ${slices.length} left`,
  }

  const read = (parallel: number) => snapshot({ ...options, parallel })
  return { log, list, options, read }
}

/** A function of the caller's that has a bug. */
const broken = (): never => {
  throw 'a bug'
}

const collected = (source: Observable<E.Either<string, Row>>) => {
  const out: Array<number | string> = []
  const reading: Subscription = source.subscribe((row) =>
    out.push(E.isRight(row) ? row.right.id : row.left),
  )
  return { out, reading }
}

const numbers = (n: number): ReadonlyArray<number> => Array.from({ length: n }, (_, i) => i)

describe('a snapshot', () => {
  marbleTest('asks for nothing until it is subscribed to, and begins anew each time', (m) => {
    const { log, read } = playing({ rows: 5 })
    const list = read(1)
    expect(log.asked).toEqual([])
    const first = collected(list)
    const second = collected(list)
    m.flush()
    expect(first.out).toEqual(numbers(5))
    expect(second.out).toEqual(numbers(5))
    expect(log.asked).toEqual(['0..5', '0..5'])
  })

  marbleTest(
    'one request at a time comes in the order of the list, with no request that is not needed',
    (m) => {
      const { log, read } = playing({ rows: 25 })
      const { out } = collected(read(1))
      m.flush()
      expect(out).toEqual(numbers(25))
      expect(log.asked).toEqual(['0..25', '9..25', '18..25'])
    },
  )

  marbleTest('reads a list from its newest row on, and finds its beginning', (m) => {
    const { log, read } = playing({ rows: 25, order: 'descending' })
    const { out } = collected(read(1))
    m.flush()
    expect(out).toEqual([...numbers(25)].reverse())
    expect(log.asked).toEqual(['0..25', '0..16', '0..8'])
  })

  marbleTest('asks for as many pages as it is asked for items', (m) => {
    const { log, read } = playing()
    const { out } = collected(read(1).pipe(take(12)))
    m.flush()
    expect(out).toEqual(numbers(12))
    expect(log.asked.length).toBe(2)
    expect(log.aborted).toBe(0)
  })

  marbleTest('is given up when it has no subscriber any more', (m) => {
    const { log, read } = playing({ rows: 1_000 })
    const { reading } = collected(read(4))
    timer(45).subscribe(() => reading.unsubscribe())
    m.flush()
    expect(log.busy).toBe(0)
    expect(log.aborted).toBe(4)
  })

  for (const order of ['ascending', 'descending'] as const) {
    marbleTest(`in ${order} order is read in parallel, with few requests more than pages`, (m) => {
      const { log, read } = playing({ rows: 1_000, order })
      const { out } = collected(read(5))
      m.flush()
      expect([...out].sort((a, b) => Number(a) - Number(b))).toEqual(numbers(1_000))
      expect(log.most).toBe(5)
      // a page brings 9 rows: the tenth is of the second that the next one begins with
      expect(log.asked.length).toBeLessThan(1_000 / 9 + 20)
    })
  }

  marbleTest('finds out that the rows end long before the time does', (m) => {
    const position = initialPosition({ from: 0, to: 1_000_000 * SECOND })
    const { log, read } = playing({ rows: 1_000, position })
    const { out } = collected(read(5))
    m.flush()
    expect(out.length).toBe(1_000)
    expect(log.asked.length).toBeLessThan(1_000 / 9 + 40)
  })

  marbleTest('keeps answers asked for less pages consumed within its width', (m) => {
    const { log, read } = playing({ rows: 300 })
    read(4)
      .drain(() => timer(35).pipe(map(() => ++log.consumed)))
      .subscribe()
    m.flush()
    expect(log.consumed).toBeGreaterThan(30)
    expect(log.ahead).toBe(4)
  })

  marbleTest('delivers what came before a failure, then the failure with all that is left', (m) => {
    const { log, read } = playing({
      answer: (rows, nth) => (nth === 3 ? E.left('broken') : E.right(rows)),
    })
    const { out } = collected(read(1))
    m.flush()
    expect(out).toEqual([...numbers(18), 'Failed after 2, 1 left'])
    expect(log.asked.length).toBe(3)
  })

  marbleTest('gives up what else is on its way when a part of it fails', (m) => {
    const { log, read } = playing({
      rows: 1_000,
      answer: (rows, nth) => (nth === 9 ? E.left('broken') : E.right(rows)),
    })
    const { out } = collected(read(4))
    m.flush()
    expect(out.at(-1)).toMatch(/^Failed after \d+, 4 left$/)
    expect(log.aborted).toBe(3)
    expect(log.busy).toBe(0)
  })

  marbleTest('is given up where the service does not keep the filter by time', (m) => {
    const { read } = playing({
      position: initialPosition({ from: 50 * SECOND, to: 100 * SECOND }),
      answer: () => E.right([{ id: 1, at: 0 }]),
    })
    const { out } = collected(read(1))
    m.flush()
    expect(out).toEqual(['OutsideFilter after 0, 1 left'])
  })

  marbleTest('is given up when the service always has more, and never shows it', (m) => {
    const { log, read } = playing({ answer: () => E.right([]), more: () => true })
    const { out } = collected(read(1))
    m.flush()
    expect(out).toEqual([expect.stringMatching(/^Unordered after/)])
    expect(log.asked.length).toBeLessThan(200)
  })

  marbleTest('with no time at all asks for nothing', (m) => {
    const { log, read } = playing({ position: initialPosition({ from: 5, to: 5 }) })
    const { out } = collected(read(2))
    m.flush()
    expect(out).toEqual([])
    expect(log.asked).toEqual([])
  })

  it.each([0, -1, 1.5, Number.NaN])(
    'takes no %d for its requests at once: nothing would be asked for',
    (parallel) => {
      const { read } = playing()
      expect(() => read(parallel)).toThrow(/^parallel should be a whole number of at least 1/)
    },
  )

  it('passes on what can only be a bug as an error', () => {
    const bug = new Error('bug')
    let got: unknown
    snapshot<string, Row>({
      position: of(E.right(initialPosition({ from: 0, to: 1 }))),
      list: () => ({ pages: throwError(() => bug) }),
      time: () => 0,
      key: String,
      cut: ({ _tag }) => _tag,
      parallel: 2,
    }).subscribe({ error: (error: unknown) => (got = error) })
    expect(got).toBe(bug)
  })

  it.each<[string, Partial<SnapshotOptions<string, Row>>]>([
    ['list', { list: broken }],
    ['time', { time: broken }],
    ['cut', { list: () => ({ pages: timer(10).pipe(map(() => E.left('fails'))) }), cut: broken }],
  ])('breaks with what `%s` throws, also after pages that came', (_, own) => {
    for (const width of [1, 3]) {
      marbles((m) => {
        const { list, options } = playing()
        let asked = 0
        const { list: other = list, ...rest } = own
        const nth = (span: Span) => (++asked > 3 ? other(span) : list(span))
        const time = (raw: unknown) => (asked > 3 ? (rest.time ?? options.time) : options.time)(raw)
        const read = snapshot<string, Row>({
          ...options,
          ...rest,
          list: nth,
          time,
          parallel: width,
        })
        let error: unknown
        const out: Array<E.Either<string, P>> = []
        read.pages.subscribe({ next: (page) => out.push(page), error: (e) => (error = e) })
        m.flush()
        expect(error).toBe('a bug')
        expect(out.every(E.isRight)).toBe(true)
        expect(out.length).toBeGreaterThan(0)
      })()
    }
  })

  it.each([1, 3])('is no end, and not asked again, when nothing comes (%i at a time)', (width) => {
    let asked = 0
    let error: unknown
    const list = () => ({ pages: defer(() => (++asked > 5 ? throwError(() => 'again') : EMPTY)) })
    snapshot<string, Row>({ ...playing().options, list, parallel: width }).subscribe({
      error: (e: unknown) => (error = e),
    })
    expect(error).toEqual(new Error('list should emit a page, but emitted nothing'))
    expect(asked).toBe(1)
  })

  it('whose answers come at once does not nest them', () => {
    const rows = Array.from({ length: 200_000 }, (_, id): Row => ({ id, at: id * SECOND }))
    let count = 0
    snapshot<string, Row>({
      position: of(E.right(initialPosition({ from: 0, to: rows.length * SECOND }))),
      list: ({ from, to }) => {
        const first = Math.ceil(from / SECOND)
        const found = rows.slice(first, Math.min(first + SIZE, Math.floor(to / SECOND) + 1))
        const page: Page<string, Row, unknown> = {
          items: found.map((row) => E.right(row)),
          raw: found,
          position: from,
          next: to / SECOND >= first + SIZE ? O.some(1) : O.none,
        }
        return { pages: of(E.right(page)) }
      },
      time: (raw) => Object(raw).at,
      key: (raw) => String(Object(raw).id),
      cut: ({ _tag }) => _tag,
      parallel: 3,
    }).subscribe((row) => {
      if (E.isRight(row)) count++
    })
    expect(count).toBe(200_000)
  })
})
