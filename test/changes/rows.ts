/** Charges of a service and of a copy of it, sorted by time, for proofs without a network. */
import { defer, NEVER, of } from 'rxjs'
import type { Asking } from '../../src/changes/Asking.js'
import { asking } from '../../src/changes/Asking.js'
import type {
  Ledger,
  LedgerPage,
  LedgerQuery,
  LedgerRow,
  Seconds,
} from '../../src/changes/Ledger.js'
import type { Counted } from '../../src/changes/proof/Counting.js'
import type { ProofTable } from '../../src/changes/proof/ProofTable.js'
import { E } from '../../src/fp.js'
import type { AnyFailure } from '../../src/index.js'

/** A charge, as far as proofs look at it. */
export interface Row {
  readonly id: string
  readonly status: string
  readonly created: Seconds
}

/** Rows by id, and by time in each status. */
export class Rows {
  readonly byId = new Map<string, Row>()
  readonly #sorted = new Map<string, Array<Row>>()

  constructor(rows: ReadonlyArray<Row>) {
    for (const row of [...rows].sort(byTime)) {
      this.byId.set(row.id, row)
      for (const list of this.#lists(row)) list.push(row)
    }
  }

  put(row: Row): void {
    this.delete(row.id)
    this.byId.set(row.id, row)
    for (const list of this.#lists(row)) list.splice(lowest(list, row.created + 1), 0, row)
  }

  delete(id: string): void {
    const row = this.byId.get(id)
    if (row === undefined) return
    this.byId.delete(id)
    for (const list of this.#lists(row)) {
      list.splice(list.indexOf(row, lowest(list, row.created)), 1)
    }
  }

  /** The rows of a stretch, from the n-th on, and how many there are in all. */
  between({ status = '', from, to }: Counted, first = 0, most = Number.POSITIVE_INFINITY) {
    const list = this.#sorted.get(status) ?? []
    const start = lowest(list, from)
    const end = lowest(list, to + 1)
    return {
      total: Math.max(0, end - start),
      rows: list.slice(start + first, Math.max(start + first, Math.min(end, start + first + most))),
    }
  }

  statuses(): ReadonlyArray<string> {
    return [...this.#sorted.keys()].filter((status) => status !== '')
  }

  #lists({ status }: Row): ReadonlyArray<Array<Row>> {
    return ['', status].map((name) => {
      const list = this.#sorted.get(name) ?? []
      this.#sorted.set(name, list)
      return list
    })
  }
}

const byTime = (one: Row, other: Row): number => one.created - other.created

/** The first index whose row was created at a time or later. */
const lowest = (list: ReadonlyArray<Row>, created: Seconds): number => {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((list[middle]?.created ?? 0) < created) low = middle + 1
    else high = middle
  }
  return low
}

/** A deterministic random number generator (mulberry32). */
export const randomOf = (seed: number): (() => number) => {
  let a = seed * 7919
  return () => {
    a = (a + 0x6d2b79f5) | 0
    let t = Math.imul(a ^ (a >>> 15), 1 | a)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const T0 = Date.UTC(2024, 0, 1) / 1_000
export const DAY = 86_400

/** Rows over two years: one in twenty FAILED, one in a hundred open. */
export const rowsOf = (total: number, status?: string): ReadonlyArray<Row> =>
  Array.from({ length: total }, (_, i) => ({
    id: `chg_${String(i).padStart(8, '0')}`,
    status: status ?? (i % 100 === 7 ? 'PENDING' : i % 20 === 3 ? 'FAILED' : 'SETTLED'),
    created: T0 + Math.floor((i / total) * 730 * DAY),
  }))

export const UNTIL = T0 + 731 * DAY

export interface ServiceOptions {
  /** Called before each request. */
  readonly move?: () => void
  /** Pages that begin at so many rows or more are refused. */
  readonly refuseAbove?: number
  readonly refusal?: AnyFailure
  readonly maxSize?: number
  readonly bounds?: 'inclusive' | 'half-open' | 'exclusive' | 'from exclusive'
  /** A failure in place of an answer. */
  readonly fail?: (query: LedgerQuery | string) => AnyFailure | undefined
}

export const refused = (status: number): AnyFailure => ({
  _tag: 'Refused',
  endpoint: 'GET /api/v1/charges',
  attempts: 1,
  status,
  code: 'invalid_argument',
  message: `refused with ${status}`,
})

export const serverFault: AnyFailure = {
  _tag: 'ServerFault',
  endpoint: 'GET /api/v1/charges',
  attempts: 1,
  status: 500,
  code: 'internal_error',
  message: 'a fault',
}

const shown = (row: Row): LedgerRow<Row> => ({
  ...row,
  updated: row.created * 1_000,
  raw: row,
  row: E.right(row),
})

/** The questions that a proof asks a service with these rows. */
export const serviceOf = (rows: Rows, options: ServiceOptions = {}): Asking<Row> => {
  const { move = () => {}, refuseAbove = Number.POSITIVE_INFINITY, bounds = 'inclusive' } = options
  const ledger: Ledger<Row> = {
    page: (query) =>
      defer(() => {
        move()
        const failure = options.fail?.(query)
        if (failure !== undefined) return of(E.left(failure))
        const size = Math.min(options.maxSize ?? query.size, query.size)
        const first = query.page * size
        if (first >= refuseAbove) return of(E.left(options.refusal ?? refused(400)))
        const later = bounds === 'exclusive' || bounds === 'from exclusive' ? 1 : 0
        const earlier = bounds === 'exclusive' || bounds === 'half-open' ? 1 : 0
        const stretch: Counted = {
          status: query.status,
          from: query.from === undefined ? Number.NEGATIVE_INFINITY : query.from + later,
          to: query.to === undefined ? Number.POSITIVE_INFINITY : query.to - earlier,
        }
        const found = rows.between(stretch, first, size)
        const page: LedgerPage<Row> = {
          rows: found.rows.map(shown),
          more: first + size < found.total,
        }
        return of(E.right(page))
      }),
    retrieve: (id) =>
      defer(() => {
        move()
        const failure = options.fail?.(id)
        if (failure !== undefined) return of(E.left(failure))
        const row = rows.byId.get(id)
        return of(row === undefined ? E.left(refused(404)) : E.right(shown(row)))
      }),
    serviceTime: () => undefined,
    now: () => UNTIL * 1_000,
  }
  return asking(ledger, NEVER)
}

/** A copy in memory. */
export interface Copy extends ProofTable<unknown> {
  readonly rows: Rows
  readonly gone: Set<string>
}

export const copyOf = (rows: ReadonlyArray<Row>): Copy => {
  const copy = new Rows(rows)
  const gone = new Set<string>()
  return {
    rows: copy,
    gone,
    counts: async (stretches) =>
      stretches.map((stretch) => {
        const counts = new Map<string, number>()
        for (const status of copy.statuses()) {
          counts.set(status, copy.between({ ...stretch, status }).total)
        }
        return counts
      }),
    nth: async (counted, n) => copy.between(counted, n, 1).rows[0]?.created,
    find: async (counted) => copy.between(counted).rows,
    write: async (some) => {
      for (const { id, status, created } of some) {
        const known = copy.byId.get(id)
        gone.delete(id)
        if (known?.status !== status || known.created !== created) copy.put({ id, status, created })
      }
    },
    moved: async () => {},
    markGone: async (some) => {
      for (const { id } of some) {
        copy.delete(id)
        gone.add(id)
      }
    },
  }
}
