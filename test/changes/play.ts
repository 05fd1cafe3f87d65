/** A ledger that moves between any two requests, a client of it in virtual time, and a table kept by its changes. */
import {
  timer as after,
  defer,
  map,
  type Observable,
  of,
  type SchedulerLike,
  VirtualTimeScheduler,
} from 'rxjs'
// loaded when they are needed first: loading is no work of virtual time
import '../../src/export/sql/sqlite.js'
import '../../src/store/lease.js'
import '../../src/store/Waits.js'
import { E } from '../../src/fp.js'
import { createClient, type HttpRequest, type HttpResponse, unlimited } from '../../src/index.js'
import { idleTime } from '../support/idleClock.js'

export const START = Date.UTC(2026, 0, 1) / 1_000

/** A charge of the ledger. */
export interface Entry {
  readonly id: string
  readonly status: string
  readonly amount: number
  readonly created_at: string
  readonly updated_at: string
}

export const iso = (second: number): string =>
  new Date(Math.floor(second) * 1_000).toISOString().replace('.000Z', '+0000')

export const secondsOf = (time: string): number => Date.parse(time.replace('+0000', 'Z')) / 1_000

const REST = {
  currency: 'USD',
  reason: 'travel',
  reference: 'r',
  source: 's',
  fee: 0,
  short_reference_id: 'S',
}

export const isFinal = ({ status }: Pick<Entry, 'status'>): boolean =>
  status === 'SETTLED' || status === 'FAILED'

const KNOWN = ['NEW', 'PENDING', 'SETTLED', 'SUSPENDED', 'FAILED']

/** How the service takes a filter by a status that is not of the interface. */
export type Foreign = 'none' | 'accepted' | 'refused'

/** The charges of an account, in the order of their creation. */
export class Account {
  /** Lists go on for ever, with empty pages. */
  isEndless = false
  readonly entries = new Map<string, Entry>()
  readonly order: Array<string> = []
  #made = 0

  add(created: number, status: string, now: number): string {
    const id = `chg_${String(this.#made++).padStart(8, '0')}`
    const created_at = iso(created)
    const updated_at = iso(Math.max(created, now))
    this.entries.set(id, { id, status, amount: 1, created_at, updated_at })
    let i = this.order.length
    while (i > 0 && (this.entries.get(this.order[i - 1] ?? '')?.created_at ?? '') > created_at) i--
    this.order.splice(i, 0, id)
    return id
  }

  set(id: string, change: Partial<Entry>, now: number): void {
    const entry = this.entries.get(id)
    if (entry !== undefined) this.entries.set(id, { ...entry, ...change, updated_at: iso(now) })
  }

  delete(id: string): void {
    this.entries.delete(id)
    this.order.splice(this.order.indexOf(id), 1)
  }

  /** Answers a request as the interface has it. */
  answer(url: URL, foreign: Foreign): { readonly status: number; readonly body: object } {
    const [, id] = /charges\/(.+)$/.exec(url.pathname) ?? []
    if (id !== undefined) {
      const entry = this.entries.get(id)
      return entry === undefined
        ? { status: 404, body: { code: 'not_found', message: 'no' } }
        : { status: 200, body: shown(entry) }
    }
    if (this.isEndless) return { status: 200, body: { has_more: true, items: [] } }
    const query = url.searchParams
    const status = query.get('status')
    if (status !== null && !KNOWN.includes(status) && foreign !== 'accepted') {
      return { status: 400, body: { code: 'invalid_argument', message: 'status' } }
    }
    const from = query.get('from_created_at') ?? ''
    const to = query.get('to_created_at') ?? '~'
    const size = Number(query.get('page_size'))
    const first = Number(query.get('page_num')) * size
    const found = this.order.flatMap((one) => {
      const entry = this.entries.get(one)
      const isWanted =
        entry !== undefined &&
        (status === null || entry.status === status) &&
        entry.created_at >= from &&
        entry.created_at <= to
      return isWanted ? [entry] : []
    })
    const items = found.slice(first, first + size).map(shown)
    return { status: 200, body: { has_more: first + size < found.length, items } }
  }
}

const shown = (entry: Entry): object => ({ ...REST, request_id: `q${entry.id}`, ...entry })

/** A clock that passes as fast as promises allow. */
export const clock = (start = START) => {
  const timer = new VirtualTimeScheduler()
  timer.frame = start * 1_000
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
  /** Lets time pass until something is true. */
  const until = async (isDone: () => boolean): Promise<void> => {
    for (let idle = 0; !isDone(); ) {
      await turn()
      if (isDone()) return
      const next = timer.actions[0]?.delay
      if (next === undefined) {
        if (++idle > 1_000_000) throw new Error('nothing is left to happen')
        continue
      }
      idle = 0
      timer.maxFrames = next
      timer.flush()
      timer.frame = Math.max(timer.frame, next)
    }
  }
  const run = async <A>(promise: Promise<A>): Promise<A> => {
    let isSettled = false
    const settle = (): void => {
      isSettled = true
    }
    promise.then(settle, settle)
    await until(() => isSettled)
    return promise
  }
  const pass = async (seconds: number): Promise<void> => {
    let isOver = false
    timer.schedule(() => {
      isOver = true
    }, seconds * 1_000)
    await until(() => isOver)
    await turn()
  }
  return { timer, until, run, pass, seconds: () => timer.now() / 1_000 }
}

export type Clock = ReturnType<typeof clock>

/** A clock that waits for files, too. */
export const clockOfFiles = (start = START) => {
  const { timer, run, pass } = idleTime(start * 1_000)
  return {
    ...{ timer, run, seconds: () => timer.now() / 1_000 },
    pass: (seconds: number) => pass(seconds * 1_000),
  }
}

export interface ServiceOptions {
  readonly clock: { readonly timer: SchedulerLike }
  readonly account: Account
  readonly foreign?: Foreign
  /** How long an answer takes, in seconds. */
  readonly takes?: () => number
  /** Happens before each answer; returns a status in place of the answer. */
  readonly before?: (url: URL) => number | undefined
  /** The clock of the service, in seconds. */
  readonly date?: () => number
}

/** A client of an account. */
export const clientOf = ({
  clock: { timer },
  account,
  foreign = 'none',
  takes = () => 0.1,
  before = () => undefined,
  date,
}: ServiceOptions) => {
  const asked: Array<URL> = []
  const response = (status: number, body: object): E.Either<never, HttpResponse> =>
    E.right({
      status,
      header: (name) =>
        name === 'date' && date !== undefined ? new Date(date() * 1_000).toUTCString() : undefined,
      body: JSON.stringify(body),
    })
  const transport = (request: HttpRequest): Observable<E.Either<never, HttpResponse>> =>
    defer(() => {
      const url = new URL(request.url)
      if (url.pathname.endsWith('login')) {
        return of(response(201, { token: 'token', expires_at: '2099-01-01T00:00:00Z' }))
      }
      asked.push(url)
      return after(takes() * 1_000, timer).pipe(
        map(() => {
          const failed = before(url)
          if (failed !== undefined) return response(failed, { code: 'x', message: 'x' })
          const { status, body } = account.answer(url, foreign)
          return response(status, body)
        }),
      )
    })
  const client = createClient({
    baseUrl: 'https://platform.test',
    credentials: { clientId: 'a', apiKey: 'b' },
    limits: unlimited,
    retry: { throttled: 0, faults: 0 },
    transport,
    timer,
  })
  return { client, asked }
}
