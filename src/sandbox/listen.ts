import { setMaxListeners } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { SchedulerLike } from 'rxjs'
import { is, type OptionsOf, resolveOptions, withDefault } from '../options/index.js'
import { type Sandbox, type ServableSandbox, servableSandbox } from './createSandbox.js'
import type { SandboxOptions } from './options.js'
import { firstHalf, PAUSE, pieces, type Reply, type SendReply } from './Reply.js'

const LOOPBACK_ADDRESS = '127.0.0.1'

const optionsTable = {
  /** The port to listen on. Default 0: any free one. */
  port: withDefault(is.int(0, 65_535), 0),
  /**
   * The address to listen on. `0.0.0.0` means all addresses of this machine. Default `127.0.0.1`, which is unreachable from
   * other machines.
   */
  host: withDefault(is.nonEmptyString, LOOPBACK_ADDRESS),
  /**
   * Additional host names to accept, such as `sandbox` behind a proxy. Default: only those of this machine, so that no web page
   * can reach the sandbox under another name.
   */
  allowHosts: withDefault(is.arrayOf(is.nonEmptyString, 'a list of host names'), []),
}

/** Options of `listen`. */
export interface ListenOptions extends OptionsOf<typeof optionsTable> {}

/** A running server. */
export interface Listening {
  /** Base URL for a client, such as `http://127.0.0.1:49152`. */
  readonly url: string
  /** Port that it listens on. */
  readonly port: number
  /** Stops listening, and closes all connections, including those waiting for a response. */
  readonly close: () => Promise<void>
}

/**
 * Serves a sandbox on a port of this machine, for clients in other processes. Rejects with an `InvalidOption`, or with the system
 * error if the port is taken.
 */
export const listen = async (
  sandbox: Sandbox | SandboxOptions = {},
  options: ListenOptions = {},
): Promise<Listening> => {
  const { port: wanted, host, allowHosts } = resolveOptions(options, optionsTable)
  const served = isServable(sandbox) ? sandbox : servableSandbox(sandbox)
  const { handle } = served
  const end = new AbortController()
  setMaxListeners(0, end.signal) // one listener per request, because Node 22 warns if there are more than ten
  const listener = getRequestListener(
    (request, { outgoing }) =>
      // the server below speaks HTTP/1
      handle(request, replyOnSocket(outgoing as ServerResponse), end.signal).catch(bugResponse),
    { overrideGlobalObjects: false },
  )
  const server = createServer((incoming, outgoing) => {
    if (incoming.url === STATS) {
      sendStats(served, incoming, outgoing)
      return
    }
    if (isAllowed(incoming.headers.host, allowHosts)) {
      void listener(incoming, outgoing)
      return
    }
    outgoing.writeHead(403, { 'content-type': 'application/json', connection: 'close' })
    outgoing.end(JSON.stringify(wrongHost))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(wanted, host, resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : wanted
  return {
    url: `http://${/^(0\.0\.0\.0|::)$/.test(host) ? LOOPBACK_ADDRESS : host}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        end.abort()
        if (served !== sandbox) served.close()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The path of the counts, for people and scripts on this machine. */
const STATS = '/__sandbox/stats'

/** Sends the counts only to this machine and under its own names, because a web page could bind another name to it. */
const sendStats = (
  { stats }: Sandbox,
  { socket, headers, method }: IncomingMessage,
  outgoing: ServerResponse,
): void => {
  const isLocal =
    /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '') && isAllowed(headers.host, [])
  const [status, body] = !isLocal
    ? [403, { code: 'not_local', message: 'Only this machine may read the counts.' }]
    : method === 'GET'
      ? [200, stats()]
      : [405, { code: 'method_not_allowed', message: 'GET reads the counts.' }]
  outgoing.writeHead(Number(status), { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify(body))
}

const wrongHost = {
  code: 'host_not_allowed',
  message:
    'The sandbox accepts the host localhost, and those in the option allowHosts (--allow-host).',
}

/** Names of this machine in a `Host` header. */
const LOOPBACK = /^(?:(?:.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Checks the `Host` of a request without its port. Rejects names that others have bound to this machine. */
const isAllowed = (host: string | undefined, allowed: ReadonlyArray<string>): boolean => {
  const name = (host ?? '').toLowerCase().replace(/:\d*$/, '')
  return LOOPBACK.test(name) || allowed.some((one) => one.toLowerCase() === name)
}

const isServable = (u: Sandbox | SandboxOptions): u is ServableSandbox =>
  is.isObject(u) && 'handle' in u

/** Returns the response for an exception, such as one of a fault plan. In process, `fetch` rejects with it instead. */
const bugResponse = (error: unknown): Response =>
  Response.json({ code: 'internal_error', message: String(error) }, { status: 500 })

// replies, including faults that need a socket

const replyOnSocket =
  (outgoing: ServerResponse): SendReply =>
  (reply, finished, timer) => {
    if (outgoing.destroyed) {
      finished() // the client has disconnected
      return RESPONSE_ALREADY_SENT
    }
    outgoing.once('finish', finished) // the last byte has been passed to the system
    outgoing.once('close', finished) // or the client has disconnected
    switch (reply.delivery) {
      case 'whole':
        outgoing.writeHead(reply.status, {
          ...reply.headers,
          'content-length': reply.body.length,
        })
        outgoing.end(reply.body)
        break
      case 'reset':
        outgoing.req.socket.resetAndDestroy() // `outgoing` has no socket while it waits for another response
        break
      case 'silent':
        break
      case 'cut-off':
        sendHalf(reply, outgoing, () => outgoing.req.socket.destroy())
        break
      case 'stall':
        sendHalf(reply, outgoing, () => {})
        break
      case 'slow':
        sendSlowly(reply, outgoing, timer)
        break
    }
    return RESPONSE_ALREADY_SENT
  }

/** Sends half of a body. An empty one is sent in chunks without the last: with a length, it would be complete. */
const sendHalf = (reply: Reply, outgoing: ServerResponse, then: () => void): void => {
  const { status, body, headers } = reply
  outgoing.writeHead(
    status,
    body.length === 0 ? headers : { ...headers, 'content-length': body.length },
  )
  outgoing.write(firstHalf(reply), then)
}

const sendSlowly = (reply: Reply, outgoing: ServerResponse, timer: SchedulerLike): void => {
  const all = pieces(reply)
  const send = (n: number): void => {
    const piece = all[n]
    if (outgoing.destroyed) return
    if (piece === undefined) {
      outgoing.end()
    } else {
      outgoing.write(piece)
      timer.schedule(() => send(n + 1), PAUSE)
    }
  }
  outgoing.writeHead(reply.status, reply.headers)
  send(0)
}
