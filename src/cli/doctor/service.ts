/** What the service says to a login and a few small requests, through a client like any other. */
import {
  concat,
  concatMap,
  defer,
  finalize,
  map,
  type Observable,
  of,
  repeat,
  type SchedulerLike,
  take,
  toArray,
} from 'rxjs'
import { createClient } from '../../client/createClient.js'
import { E } from '../../fp.js'
import type { ClientEvent } from '../../http/ClientEvent.js'
import type { Timeout, Transport } from '../../http/transport/Transport.js'
import type { Connection } from '../connection.js'
import { checkClock, type DatedAnswer, observeDates } from './clockOffset.js'
import { type Check, type Finding, ok, skipped } from './Finding.js'
import { type ChargePage, checkList, checkLogin, checkOrder } from './firstPage.js'
import { checkLimits } from './limits.js'
import { checkRoundTrip } from './roundTrip.js'

// model

export interface ServiceToCheck {
  readonly connection: Connection
  /** The part of the limits to use. */
  readonly share: number
  readonly transport: Transport
  readonly timer: SchedulerLike
  /** How long a request may take. */
  readonly timeout?: Timeout
}

/** Small requests, the first page among them: far from any limit. */
const REQUESTS = 6
/** Of each page. */
const ROWS = 10
/** Nobody waits a minute for a doctor; in ms. */
const TIMEOUT = { connect: 10_000, headers: 15_000, body: 15_000, whole: 30_000 }

// constructors

/**
 * Logs in and reads a small page a few times. Nothing is changed, and nothing is tried again, but once
 * with a new token where one was refused.
 */
export const checkService = ({
  connection,
  share,
  transport,
  timer,
  timeout = TIMEOUT,
}: ServiceToCheck): Observable<Finding> =>
  defer(() => {
    const events: Array<ClientEvent> = []
    const answers: Array<DatedAnswer> = []
    const client = createClient({
      ...connection,
      share,
      transport: observeDates(timer, (answer) => answers.push(answer))(transport),
      timer,
      timeout,
      retry: { faults: 0, throttled: 0 },
      drift: true,
      lists: { strictEnd: true }, // as exports have it
    })
    const listening = client.events.subscribe((event) => events.push(event))
    const page = client.charges.list({ page_size: ROWS }).pages.pipe(take(1))

    const more = (first: ChargePage): Observable<Finding> =>
      E.isLeft(first)
        ? of(skipped('order', NO_PAGE), skipped('round trip', NO_PAGE))
        : concat(
            of(checkOrder(first.right.raw)),
            page.pipe(
              repeat(REQUESTS - 1),
              toArray(),
              map((pages) => checkRoundTrip(pages, events)),
            ),
          )

    const last = defer(() =>
      client.scheduler.state.pipe(
        take(1),
        concatMap((state) => [
          checkClock(answers),
          checkLimits({ environment: connection.environment, share }, state, events),
          checkApiVersion(connection),
        ]),
      ),
    )

    return concat(
      page.pipe(
        concatMap((first) =>
          concat(of(checkLogin(first, events), checkList(first, client.drift())), more(first)),
        ),
      ),
      last,
    ).pipe(finalize(() => listening.unsubscribe()))
  })

const checkApiVersion = ({ apiVersion }: Connection): Finding =>
  apiVersion === undefined
    ? ok('API version', "the account's own: none is asked for", { facts: { apiVersion: null } })
    : ok('API version', `${apiVersion} is asked for`, { facts: { apiVersion } })

/** What there is to say when it is not asked. */
export const skipService = (why: string): ReadonlyArray<Finding> =>
  CHECKS.map((check) => skipped(check, why))

/** What the service is asked for, in this order. */
const CHECKS: ReadonlyArray<Check> = [
  'login',
  'list',
  'order',
  'round trip',
  'clock',
  'limits',
  'API version',
]

/** Why nothing is said of what pages tell. */
const NO_PAGE = 'there is no page to tell it from'
