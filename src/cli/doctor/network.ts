/** Checks the network path to a base URL: name lookup, connection, TLS. */
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
  takeWhile,
  timeout,
} from 'rxjs'
import { fieldsOf } from '../../decode/unknown.js'
import type { IO } from '../../fp.js'
import { connectionAdvice } from '../../http/transport/connectionAdvice.js'
import { DAY, duration, plural } from '../../report/text.js'
import { codeOf } from '../../store/FileSystem.js'
import { steadyTimer } from '../../stream/steadyTimer.js'
import { type Finding, failed, found, skipped, type Verdict } from './Finding.js'

export interface Server {
  readonly host: string
  readonly port: number
}

/** Network operations. Each emits one value, or fails with the system error. Unsubscribing closes the socket. */
export interface NetworkProbe {
  readonly addresses: (host: string) => Observable<ReadonlyArray<string>>
  readonly connect: (server: Server) => Observable<unknown>
  /** Emits the protocol, such as `TLSv1.3`, and the time at which the certificate expires, in ms since 1970. */
  readonly secure: (
    server: Server,
  ) => Observable<{ readonly protocol: string; readonly validUntil: number }>
}

export interface NetworkOptions {
  readonly baseUrl: string
  readonly probe?: NetworkProbe
  readonly timer: SchedulerLike
  /** Time limit for each step, in ms. Default 10,000. */
  readonly stepTimeout?: number | undefined
}

/** Remaining validity of a certificate, in ms, below which there is a warning. */
const CERTIFICATE_WARNING = 14 * DAY

/** Runs the steps one after the other. Ends at the first failure. */
export const checkNetwork = (options: NetworkOptions): Observable<Finding> => {
  const { baseUrl, probe = NODE, timer, stepTimeout = 10_000 } = options
  const { now } = steadyTimer(timer)
  const { protocol, hostname, port } = new URL(baseUrl)
  const isSecure = protocol === 'https:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const server = { host, port: Number(port || (isSecure ? 443 : 80)) }
  const place = `${host}, port ${server.port}`

  const step = <A>(
    check: 'DNS' | 'connection' | 'TLS',
    source: Observable<A>,
    judge: (value: A, ms: number) => Verdict,
  ): Observable<Finding> =>
    defer(() => {
      const began = now()
      const fail = (code: string): Verdict =>
        failed(
          `${place}: ${code}`,
          { code },
          connectionAdvice(code) ?? connectionAdvice('ETIMEDOUT'),
        )
      return source.pipe(
        map((value) => judge(value, now() - began)),
        timeout({
          first: stepTimeout,
          scheduler: timer,
          with: () => of(fail(`no response within ${duration(stepTimeout)}`)),
        }),
        catchError((error: unknown) => of(fail(codeOf(error) ?? String(fieldsOf(error).message)))),
        map((verdict) => ({ check, ...verdict })),
      )
    })

  return concat(
    step('DNS', probe.addresses(host), (addresses, ms) =>
      found(`${host} resolves to ${addresses.join(', ')} (${Math.round(ms)} ms)`, {
        addresses,
        ms,
      }),
    ),
    step('connection', probe.connect(server), (_, ms) =>
      found(`${place} (${Math.round(ms)} ms)`, { ms }),
    ),
    isSecure
      ? step('TLS', probe.secure(server), ({ protocol, validUntil }) => {
          const certificateMsLeft = validUntil - timer.now()
          const isShort = certificateMsLeft < CERTIFICATE_WARNING
          const days = plural(Math.floor(certificateMsLeft / DAY), 'day')
          return found(
            `${protocol}, certificate valid for ${days}`,
            { protocol, certificateMsLeft },
            isShort ? 'ask the operator of the service to renew it' : undefined,
          )
        })
      : of({ check: 'TLS', ...skipped('plain HTTP') }),
  ).pipe(takeWhile(({ verdict }) => verdict !== 'failed', true))
}

const NODE: NetworkProbe = {
  addresses: (host) =>
    defer(async () => (await lookup(host, { all: true })).map(({ address }) => address)),

  connect: (server) => opened(() => connectTcp(server), 'connect'),

  secure: ({ host, port }) => {
    const name = isIP(host) === 0 ? { servername: host } : {}
    return opened(() => connectTls({ host, port, ...name }), 'secureConnect').pipe(
      map((socket) => ({
        protocol: socket.getProtocol() ?? 'TLS',
        validUntil: Date.parse(socket.getPeerCertificate().valid_to),
      })),
    )
  },
}

const opened = <S extends Socket>(open: IO<S>, event: string): Observable<S> =>
  new Observable((subscriber) => {
    const socket = open()
    socket.once(event, () => {
      subscriber.next(socket)
      subscriber.complete()
    })
    socket.once('error', (error) => subscriber.error(error))
    return () => socket.destroy()
  })
