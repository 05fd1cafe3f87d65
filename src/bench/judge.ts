/** Judges all programs by one measure, by counting requests on arrival, independently of their senders. */
import { firstValueFrom, type SchedulerLike } from 'rxjs'
import { login } from '../api/authentication.js'
import { template } from '../api/Endpoint.js'
import type { IO } from '../fp.js'
import type { ServableSandbox } from '../sandbox/createSandbox.js'
import type { Millis } from '../stream/index.js'
import { later } from '../stream/later.js'
import type { Arrivals } from './BenchResult.js'

interface JudgedArrival {
  readonly at: Millis
  readonly endpoint: string
  status: number | undefined
  rows: number
}

/** Arrivals, counted from the first one. */
export interface JudgedCount extends Arrivals {
  /** True if all arrivals have got a response. */
  readonly isSettled: boolean
  /** Time from the first arrival to the last, in ms. */
  readonly ms: Millis
}

const WINDOW: Millis = 1_000

export class ArrivalCounter {
  readonly #arrivals: Array<JudgedArrival> = []

  /** Counts an arrival. The returned function must be called with the response. */
  arrive(at: Millis, endpoint: string): (status: number, rows: number) => void {
    const arrival: JudgedArrival = { at, endpoint, status: undefined, rows: 0 }
    this.#arrivals.push(arrival)
    return (status, rows) => {
      arrival.status = status
      arrival.rows = rows
    }
  }

  /** Counts the arrivals in the first `ms` after the first arrival. Default: all arrivals. */
  count(ms = Number.POSITIVE_INFINITY): JudgedCount {
    const first = this.#arrivals[0]?.at ?? 0
    const all = this.#arrivals.filter(({ at }) => at < first + ms)
    const endpoints = [...new Set(all.map(({ endpoint }) => endpoint))]
    const ofOne = endpoints.map((name) => all.filter(({ endpoint }) => endpoint === name))
    return {
      requests: all.length,
      refused: all.filter(({ status }) => status === 429).length,
      rows: all.reduce((sum, { rows }) => sum + rows, 0),
      mostOfEndpoint: Math.max(0, ...ofOne.map(mostInWindow)),
      mostOfAll: mostInWindow(all),
      isSettled: all.every(({ status }) => status !== undefined),
      ms: (all.at(-1)?.at ?? first) - first,
    }
  }
}

/** Returns the maximum number of arrivals in any window. The densest window starts with an arrival. */
const mostInWindow = (arrivals: ReadonlyArray<JudgedArrival>): number => {
  let most = 0
  let oldest = 0
  arrivals.forEach(({ at }, newest) => {
    while ((arrivals[oldest]?.at ?? at) <= at - WINDOW) oldest++
    most = Math.max(most, newest - oldest + 1)
  })
  return most
}

// sandbox

/** The network between a client and the judge. */
export interface Network {
  /** Time from a request to its response, in ms, half of it on each way. */
  readonly latency: Millis
  /** Spread of the latency, in ms, half of it on each way. */
  readonly jitter: Millis
  readonly random: IO<number>
  readonly timer: SchedulerLike
}

/** Puts the network and the counter in front of a sandbox that has no latency of its own. */
export const judged = (
  sandbox: ServableSandbox,
  counter: ArrivalCounter,
  { latency, jitter, random, timer }: Network,
): ServableSandbox => {
  const way = async (): Promise<void> => {
    const ms = latency / 2 + ((random() * 2 - 1) * jitter) / 2
    if (ms > 0) await firstValueFrom(later(ms, timer))
  }
  return {
    ...sandbox,
    handle: async (request, sendReply, end) => {
      const { pathname } = new URL(request.url)
      await way()
      const answered =
        pathname === template(login.route)
          ? () => {}
          : counter.arrive(timer.now(), `${request.method} ${endpointOf(pathname)}`)
      return sandbox.handle(
        request,
        async (reply, finished, timer) => {
          await way()
          answered(reply.status, reply.status === 200 ? rowsIn(reply.body) : 0)
          return sendReply(reply, finished, timer)
        },
        end,
      )
    },
  }
}

/** Returns the path without ids. Ids are the parts that contain digits. */
const endpointOf = (path: string): string => path.replace(/\/(?!v\d+\/)[^/]*\d[^/]*/g, '/{id}')

/** Counts the rows of a list without parsing it, because each row has one `request_id`. */
const rowsIn = (body: Uint8Array): number => {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  let rows = 0
  for (let at = text.indexOf(ROW); at >= 0; at = text.indexOf(ROW, at + ROW.length)) rows++
  return rows
}

const ROW = '"request_id":'
