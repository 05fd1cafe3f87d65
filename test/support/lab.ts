/**
 * A client in virtual time, on a simulated network that the test controls: when a request is sent, and when its response
 * arrives. Nothing waits; `run` continues until nothing is left to happen.
 */
import { readFileSync } from 'node:fs'
import { Observable, VirtualTimeScheduler } from 'rxjs'
import { E, withoutUndefined } from '../../src/fp.js'
import {
  type Client,
  type ClientEvent,
  type ClientOptions,
  createClient,
  type HttpRequest,
  type Transport,
  type TransportError,
} from '../../src/index.js'

// model

/** The reply to a request: a response, or a network fault. */
export interface Reply {
  /** Response time, in ms. Default 10. */
  readonly ms?: number
  readonly status?: number
  readonly body?: unknown
  /** Names in lower case. */
  readonly headers?: Readonly<Record<string, string>>
  /** True if the body breaks off here. */
  readonly incompleteBody?: true
  readonly outage?: TransportError
}

export interface Departure {
  /** Time in ms since the start. */
  readonly at: number
  readonly route: string
  readonly request: HttpRequest
  /** The parsed body. */
  readonly body: Readonly<Record<string, unknown>>
  readonly query: URLSearchParams
}

/** Returns the reply to the `nth` request of a route, counted from 1. */
export type Play = (departure: Departure, nth: number) => Reply

export interface Wire {
  readonly transport: Transport
  readonly sent: ReadonlyArray<Departure>
  /** Number of requests that were abandoned before their response arrived. */
  readonly aborted: () => number
}

export interface Outcome<A> {
  readonly at: number
  readonly value: A
}

export interface Lab extends Wire {
  readonly client: Client
  readonly timer: VirtualTimeScheduler
  readonly events: ReadonlyArray<ClientEvent>
  /** Departures, excluding logins. */
  readonly calls: () => ReadonlyArray<Departure>
  readonly logins: () => ReadonlyArray<Departure>
  /** Everything that is emitted, with its time. */
  readonly run: <A>(source: Observable<A>) => ReadonlyArray<Outcome<A>>
  /** Runs everything that is due up to a moment, and nothing after it. */
  readonly runUntil: (at: number) => void
}

export interface LabOptions extends Partial<ClientOptions> {
  readonly play?: Play
  readonly login?: Play
  /** Responses have a `Date` by this clock, which converts the client's ms since 1970. Default: no `Date`. */
  readonly dates?: (now: number) => number
}

// constructors

const manifest: { readonly version: string } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
)

export const LOGIN = 'POST /api/v1/authentication/login'
export const CREATE = 'POST /api/v1/charges/create'
export const LIST = 'GET /api/v1/charges'

export const ME = { clientId: 'lab-client', apiKey: 'lab-key-9b74c9897bac' } as const

/** As each request says it. */
export const USER_AGENT = `payments-rx/${manifest.version}`

/** Returns a charge as the API shows it. */
export const CHARGE = {
  id: 'chg_1',
  amount: 9.99,
  currency: 'USD',
  reason: 'goods_purchased',
  reference: 'Order 1',
  request_id: 'request-1',
  source: 'acct_1',
  fee: 0.1,
  short_reference_id: 'CH000001',
  status: 'NEW',
  created_at: '2024-05-06T07:08:09+0000',
  updated_at: '2024-05-06T07:08:09+0000',
} as const

/** Parameters of a new charge. */
export const NEW_CHARGE = {
  amount: '9.99',
  currency: 'USD',
  reason: 'goods_purchased',
  reference: 'Order 1',
  source: 'acct_1',
} as const

export const RESET: TransportError = {
  _tag: 'Unreachable',
  code: 'ECONNRESET',
  reason: 'read ECONNRESET',
  mayHaveArrived: true,
}

export const REFUSED_CONNECTION: TransportError = {
  _tag: 'Unreachable',
  code: 'ECONNREFUSED',
  reason: 'connect ECONNREFUSED',
  mayHaveArrived: false,
}

export const problem = (status: number, code: string, message = 'no'): Reply => ({
  status,
  body: { code, message },
})

/** Formats a time as the service does. */
export const timeText = (ms: number): string =>
  new Date(ms).toISOString().replace(/\.\d+Z$/, '+0000')

/** Issues `token-1`, `token-2` ..., each valid for this time. */
export const tokens =
  (life = 1_800_000): Play =>
  ({ at }, nth) => ({
    status: 201,
    body: { token: `token-${nth}-${'x'.repeat(8)}`, expires_at: timeText(at + life) },
  })

const wire = (play: Play, timer: VirtualTimeScheduler, dates: LabOptions['dates']): Wire => {
  const sent: Array<Departure> = []
  const counts = new Map<string, number>()
  let aborted = 0
  const transport: Transport = (request) =>
    new Observable((subscriber) => {
      const { pathname, searchParams } = new URL(request.url)
      const route = `${request.method} ${pathname}`
      const nth = (counts.get(route) ?? 0) + 1
      counts.set(route, nth)
      const body = JSON.parse(request.body ?? '{}')
      const departure = { at: timer.now(), route, request, body, query: searchParams }
      sent.push(departure)
      const {
        ms = 10,
        status = 200,
        body: told = '',
        headers = {},
        incompleteBody,
        outage,
      } = play(departure, nth)
      let answered = false
      subscriber.add(
        timer.schedule(() => {
          answered = true
          const text = typeof told === 'string' ? told : JSON.stringify(told)
          const date = dates && { date: new Date(dates(timer.now())).toUTCString() }
          const header = (name: string) => ({ ...date, ...headers })[name]
          const answer = { status, header, body: text, ...withoutUndefined({ incompleteBody }) }
          subscriber.next(outage === undefined ? E.right(answer) : E.left(outage))
          subscriber.complete()
        }, ms),
      )
      return () => {
        if (!answered) aborted++
      }
    })
  return { transport, sent, aborted: () => aborted }
}

export const lab = ({ play, login = tokens(), dates, ...options }: LabOptions = {}): Lab => {
  const timer = new VirtualTimeScheduler()
  const played = wire(
    (departure, nth) =>
      departure.route === LOGIN
        ? login(departure, nth)
        : (play?.(departure, nth) ?? { body: CHARGE }),
    timer,
    dates,
  )
  let ids = 0
  const client = createClient({
    baseUrl: 'https://platform.test',
    credentials: ME,
    transport: played.transport,
    timer,
    random: () => 0,
    uuid: () => `uuid-${++ids}`,
    ...options,
  })
  const events: Array<ClientEvent> = []
  client.events.subscribe((event) => events.push(event))

  const runUntil = (at: number): void => {
    timer.maxFrames = at
    timer.flush()
    timer.frame = Math.max(timer.frame, Number.isFinite(at) ? at : 0)
  }

  return {
    ...played,
    client,
    timer,
    events,
    calls: () => played.sent.filter(({ route }) => route !== LOGIN),
    logins: () => played.sent.filter(({ route }) => route === LOGIN),
    run: (source) => {
      const out: Array<Outcome<never>> = []
      source.subscribe({
        next: (value) => out.push({ at: timer.now(), value: value as never }),
        error: (error: unknown) => {
          throw error
        },
      })
      runUntil(Number.POSITIVE_INFINITY)
      return out
    },
    runUntil,
  }
}
