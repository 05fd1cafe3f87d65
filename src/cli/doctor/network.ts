/** Whether the machine that a base URL names can be reached at all. */
import {
  catchError,
  concat,
  defer,
  map,
  type Observable,
  of,
  type SchedulerLike,
  TimeoutError,
  takeWhile,
  timeout,
} from 'rxjs'
import { isSystemError } from '../../export/file/systemError.js'
import { DAY } from '../spans.js'
import { duration, plural } from '../text.js'
import { type Check, type Finding, failed, ok, skipped, warning } from './Finding.js'
import type { NetworkProbe, Server, TlsSession } from './NetworkProbe.js'

// model

export interface Network {
  readonly reach: NetworkProbe
  readonly timer: SchedulerLike
  /** For each step, in ms. Default 10,000. */
  readonly stepTimeout?: number
}

/** What has to work one after the other. */
type Step = Extract<Check, 'DNS' | 'connection' | 'TLS'>

/** In ms. */
const DEFAULT_STEP_TIMEOUT = 10_000
/** A certificate that ends sooner is worth a word, in ms. */
const CERTIFICATE_WARNING = 14 * DAY

// constructors

/** Its name, a connection, TLS: each as long as the one before is there. */
export const checkNetwork = (
  { reach, timer, stepTimeout: patience = DEFAULT_STEP_TIMEOUT }: Network,
  baseUrl: string,
): Observable<Finding> => {
  const { protocol, hostname, port } = new URL(baseUrl)
  const isSecure = protocol === 'https:'
  const server: Server = {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
  }

  const step = <A>(
    check: Step,
    source: Observable<A>,
    found: (value: A, ms: number) => Finding,
  ): Observable<Finding> =>
    defer(() => {
      const began = timer.now()
      return source.pipe(
        timeout({ first: patience, scheduler: timer }),
        map((value) => found(value, timer.now() - began)),
        catchError((error: unknown) => of(unreachable(check, server, codeOf(error, patience)))),
      )
    })

  const names = step('DNS', reach.addresses(server.host), (addresses, ms) =>
    ok('DNS', `${server.host} is ${addresses.join(', ')} (${Math.round(ms)} ms)`, {
      facts: { addresses, ms },
    }),
  )
  const connection = step('connection', reach.connect(server), (_, ms) =>
    ok('connection', `${server.host}, port ${server.port} (${Math.round(ms)} ms)`, {
      facts: { ms },
    }),
  )
  const security = isSecure
    ? step('TLS', reach.secure(server), (secured) => certificate(secured, timer.now()))
    : of(skipped('TLS', 'HTTP on this machine'))

  return concat(names, connection, security).pipe(
    takeWhile(({ verdict }) => verdict !== 'failed', true),
  )
}

const certificate = ({ protocol, validUntil }: TlsSession, now: number): Finding => {
  const left = validUntil - now
  const found = `${protocol}, certificate good for ${plural(Math.floor(left / DAY), 'day')}`
  const facts = { protocol, certificateMsLeft: left }
  return left < CERTIFICATE_WARNING
    ? warning('TLS', found, { facts, advice: 'whoever runs the service should renew it' })
    : ok('TLS', found, { facts })
}

const unreachable = (check: Step, { host, port }: Server, code: string): Finding =>
  failed(check, `${host}, port ${port}: ${code}`, { advice: advice[check], facts: { code } })

const codeOf = (error: unknown, patience: number): string => {
  if (error instanceof TimeoutError) return `no answer within ${duration(patience)}`
  if (isSystemError(error)) return error.code
  if (!(error instanceof Error)) throw error
  return error.message
}

const advice: Readonly<Record<Step, string>> = {
  DNS: 'check the spelling of the base URL, and whether this machine can resolve names at all',
  connection: 'check the base URL and its port, and whether a firewall or a proxy stands between',
  TLS: 'behind a proxy that opens TLS, give its certificate to Node with NODE_EXTRA_CA_CERTS',
}
