import { setMaxListeners } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { is, type OptionsOf, resolveOptions, withDefault } from '../../options/index.js'
import { type Sandbox, type ServableSandbox, servableSandbox } from '../createSandbox.js'
import type { SandboxOptions } from '../options.js'
import { replyOnSocket } from './replyOnSocket.js'

// model

const optionsTable = {
  /** The port to listen on. Default 0: any free one. */
  port: withDefault(is.int(0, 65_535), 0),
}

/** Options of `listen`. */
export interface ListenOptions extends OptionsOf<typeof optionsTable> {}

/** A running server. */
export interface Listening {
  /** Such as `http://127.0.0.1:49152`. */
  readonly url: string
  readonly port: number
  /** Stops listening, and closes every connection, also those that wait for a response. */
  readonly close: () => Promise<void>
}

// functions

/** Reachable from this machine only. */
const HOST = '127.0.0.1'

/**
 * Serves a sandbox on a port of this machine, for clients in other processes. Rejects with an `InvalidOption`, or
 * with the error of the system when the port is taken.
 */
export const listen = async (
  sandbox: Sandbox | SandboxOptions = {},
  options: ListenOptions = {},
): Promise<Listening> => {
  const { port: wanted } = resolveOptions(options, optionsTable)
  const { handle } = isServable(sandbox) ? sandbox : servableSandbox(sandbox)
  const end = new AbortController()
  setMaxListeners(0, end.signal) // one for each request: Node 22.12 warns of more than ten
  const listener = getRequestListener(
    (request, { outgoing }) =>
      // the server below speaks HTTP/1
      handle(request, replyOnSocket(outgoing as ServerResponse), end.signal).catch(bugResponse),
    { overrideGlobalObjects: false },
  )
  const server = createServer(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(wanted, HOST, resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : wanted
  return {
    url: `http://${HOST}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        end.abort()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const isServable = (u: Sandbox | SandboxOptions): u is ServableSandbox =>
  is.isObject(u) && 'handle' in u

/** For an exception, such as one of a caller's plan of faults: in process, `fetch` rejects with it. */
const bugResponse = (error: unknown): Response =>
  Response.json({ code: 'internal_error', message: String(error) }, { status: 500 })
