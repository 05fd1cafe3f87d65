import { setMaxListeners } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { checkOptions, is, type OptionsTable } from '../options/index.js'
import { createSandbox, type Sandbox } from './createSandbox.js'
import { onSocket } from './replyOnSocket.js'
import type { SandboxOptions } from './SandboxOptions.js'

// model

/** Where to listen. */
export interface ListenOptions {
  /** Default 0: any that is free. */
  readonly port?: number
}

/** A server that runs. */
export interface Listening {
  /** Where it listens, such as `http://127.0.0.1:49152`. */
  readonly url: string
  /** The port of that address. */
  readonly port: number
  /** Stops listening and closes every connection, also those that wait for an answer. */
  readonly close: () => Promise<void>
}

// constructors

/** Only this machine can reach it. */
const HOST = '127.0.0.1'

const isSandbox = (u: Sandbox | SandboxOptions): u is Sandbox => is.isObject(u) && 'handle' in u

/** What should not have been thrown, as by a plan of faults: in process, `fetch` rejects with it. */
const bug = (error: unknown): Response =>
  Response.json({ code: 'internal_error', message: String(error) }, { status: 500 })

const rules: OptionsTable<ListenOptions> = { port: is.int(0, 65_535) }

/**
 * A sandbox on a port of this machine, for what runs in another process. Fails with an `InvalidOption` for what
 * makes no sandbox, or is no port.
 */
export const listen = async (
  what: Sandbox | SandboxOptions = {},
  options: ListenOptions = {},
): Promise<Listening> => {
  const { port = 0 } = checkOptions(options, rules)
  const sandbox = isSandbox(what) ? what : createSandbox(what)
  const end = new AbortController()
  setMaxListeners(0, end.signal) // as many as there are requests: Node 22.12 warns of more than ten
  const listener = getRequestListener(
    (request, { outgoing }) =>
      // the server below speaks HTTP/1
      sandbox.handle(request, onSocket(outgoing as ServerResponse), end.signal).catch(bug),
    { overrideGlobalObjects: false },
  )
  const server = createServer(listener)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, HOST, resolve)
  })
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${HOST}:${bound}`,
    port: bound,
    close: () =>
      new Promise((resolve) => {
        end.abort()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
