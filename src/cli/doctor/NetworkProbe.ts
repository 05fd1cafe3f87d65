/** How far a machine is reached: its name, a connection, TLS. What node has for it, as observables. */
import { lookup } from 'node:dns/promises'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { defer, Observable } from 'rxjs'

// model

/** What listens, or should. */
export interface Server {
  readonly host: string
  readonly port: number
}

/** A connection over TLS. */
export interface TlsSession {
  /** Such as `TLSv1.3`. */
  readonly protocol: string
  /** When the certificate ends, in ms since 1970. */
  readonly validUntil: number
}

/** Each emits one value, or fails with the system's error; unsubscribing gives up. */
export interface NetworkProbe {
  readonly addresses: (host: string) => Observable<ReadonlyArray<string>>
  readonly connect: (server: Server) => Observable<void>
  readonly secure: (server: Server) => Observable<TlsSession>
}

// constructors

export const networkProbe: NetworkProbe = {
  addresses: (host) =>
    defer(async () => (await lookup(host, { all: true })).map(({ address }) => address)),

  connect: (server) => whenConnected((done) => connectTcp(server, () => done())),

  secure: ({ host, port }) =>
    whenConnected((done) => {
      const name = isIP(host) === 0 ? { servername: host } : {}
      const socket = connectTls({ host, port, ...name }, () => done(tlsSession(socket)))
      return socket
    }),
}

/** What `open` is `done` with, once a socket is connected. */
const whenConnected = <A>(open: (done: (value: A) => void) => Socket): Observable<A> =>
  new Observable((subscriber) => {
    const socket = open((value) => {
      subscriber.next(value)
      subscriber.complete()
    })
    socket.once('error', (error) => subscriber.error(error))
    return () => socket.destroy()
  })

const tlsSession = (socket: TLSSocket): TlsSession => ({
  protocol: socket.getProtocol() ?? 'TLS',
  validUntil: Date.parse(socket.getPeerCertificate().valid_to),
})
