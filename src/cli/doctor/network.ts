/** Checks how far the machine of a base URL can be reached: its name, a connection, TLS. */
import { lookup } from 'node:dns/promises'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import {
  catchError,
  concat,
  defer,
  map,
  Observable,
  of,
  type SchedulerLike,
  TimeoutError,
  takeWhile,
  timeout,
} from 'rxjs'
import { connectionAdvice } from '../../http/transport/connectionAdvice.js'
import { DAY, duration, plural } from '../../report/text.js'
import { isSystemError } from '../../store/FileSystem.js'
import { steadyTimer } from '../../stream/steadyTimer.js'
import { type Check, type Finding, failed, ok, skipped, warning } from './Finding.js'

// model

export interface Server {
  readonly host: string
  readonly port: number
}

/** Each emits one value, or fails with the system's error; unsubscribing closes the socket. */
export interface NetworkProbe {
  readonly addresses: (host: string) => Observable<ReadonlyArray<string>>
  readonly connect: (server: Server) => Observable<void>
  readonly secure: (server: Server) => Observable<TlsSession>
}

export interface TlsSession {
  /** Such as `TLSv1.3`. */
  readonly protocol: string
  /** When the certificate expires, in ms since 1970. */
  readonly validUntil: number
}

export interface NetworkOptions {
  readonly probe: NetworkProbe
  readonly timer: SchedulerLike
  /** For each step, in ms. Default 10,000. */
  readonly stepTimeout?: number
}

type NetworkStep = Extract<Check, 'DNS' | 'connection' | 'TLS'>

/** A certificate that expires sooner is a warning, in ms. */
const CERTIFICATE_WARNING = 14 * DAY

const ADVICE: Readonly<Record<NetworkStep, string>> = {
  DNS: 'check the spelling of the base URL, and whether this machine can resolve names at all',
  connection: 'check the base URL and its port, and whether a firewall or a proxy stands between',
  TLS: 'behind a proxy that opens TLS, give its certificate to Node with NODE_EXTRA_CA_CERTS',
}

// constructors

/** Runs the steps one after the other, and ends with the first that fails. */
export const checkNetwork = (
  { probe, timer, stepTimeout = 10_000 }: NetworkOptions,
  baseUrl: string,
): Observable<Finding> => {
  const { now } = steadyTimer(timer)
  const { protocol, hostname, port } = new URL(baseUrl)
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const server = { host, port: port === '' ? (isSecure ? 443 : 80) : Number(port) }
  const place = `${host}, port ${server.port}`

  const step = <A>(
    check: NetworkStep,
    source: Observable<A>,
    found: (value: A, ms: number) => Finding,
  ): Observable<Finding> =>
    defer(() => {
      const began = now()
      return source.pipe(
        timeout({ first: stepTimeout, scheduler: timer }),
        map((value) => found(value, now() - began)),
        catchError((error: unknown) => {
          const code = reasonOf(error, stepTimeout)
          const advice = connectionAdvice(code) ?? ADVICE[check]
          return of(failed(check, `${place}: ${code}`, { advice, facts: { code } }))
        }),
      )
    })

  return concat(
    step('DNS', probe.addresses(host), (addresses, ms) =>
      ok('DNS', `${host} is ${addresses.join(', ')} (${Math.round(ms)} ms)`, {
        facts: { addresses, ms },
      }),
    ),
    step('connection', probe.connect(server), (_, ms) =>
      ok('connection', `${place} (${Math.round(ms)} ms)`, { facts: { ms } }),
    ),
    isSecure
      ? step('TLS', probe.secure(server), (session) => checkCertificate(session, timer.now()))
      : of(skipped('TLS', 'plain HTTP')),
  ).pipe(takeWhile(({ verdict }) => verdict !== 'failed', true))
}

const checkCertificate = ({ protocol, validUntil }: TlsSession, now: number): Finding => {
  const left = validUntil - now
  const found = `${protocol}, certificate good for ${plural(Math.floor(left / DAY), 'day')}`
  const facts = { protocol, certificateMsLeft: left }
  return left < CERTIFICATE_WARNING
    ? warning('TLS', found, { facts, advice: 'whoever runs the service should renew it' })
    : ok('TLS', found, { facts })
}

const reasonOf = (error: unknown, stepTimeout: number): string => {
  if (error instanceof TimeoutError) return `no answer within ${duration(stepTimeout)}`
  if (isSystemError(error)) return error.code
  if (!(error instanceof Error)) throw error
  return error.message
}

// the probe of Node

export const nodeProbe: NetworkProbe = {
  addresses: (host) =>
    defer(async () => (await lookup(host, { all: true })).map(({ address }) => address)),

  connect: (server) => whenConnected((done) => connectTcp(server, () => done())),

  secure: ({ host, port }) =>
    whenConnected((done) => {
      const name = isIP(host) === 0 ? { servername: host } : {}
      const socket = connectTls({ host, port, ...name }, () =>
        done({
          protocol: socket.getProtocol() ?? 'TLS',
          validUntil: Date.parse(socket.getPeerCertificate().valid_to),
        }),
      )
      return socket
    }),
}

const whenConnected = <A>(open: (done: (value: A) => void) => Socket): Observable<A> =>
  new Observable((subscriber) => {
    const socket = open((value) => {
      subscriber.next(value)
      subscriber.complete()
    })
    socket.once('error', (error) => subscriber.error(error))
    return () => socket.destroy()
  })
