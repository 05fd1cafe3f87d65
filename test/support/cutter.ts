/** A proxy between a client and a server that cuts its connections after a number of bytes in both directions together. */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Cutter {
  readonly port: number
  /** Number of bytes since `cutAfter` was called. */
  readonly passed: () => number
  /** Cuts all connections after this number of further bytes. */
  readonly cutAfter: (bytes: number) => void
  /** Ends all connections in the same way as an idle timeout. Resolves once both sides have closed them. */
  readonly cutIdle: () => Promise<void>
  readonly close: () => Promise<void>
}

export const cutter = async (to: number): Promise<Cutter> => {
  const sockets = new Set<Socket>()
  let passed = 0
  let most = Number.POSITIVE_INFINITY
  const join = (from: Socket, into: Socket): void => {
    sockets.add(from)
    from.on('close', () => {
      sockets.delete(from)
      into.destroy()
    })
    from.on('error', () => {}) // of a connection that was cut
    from.on('data', (bytes) => {
      const rest = most - passed
      passed += bytes.length
      into.write(bytes.subarray(0, Math.max(0, rest)))
      if (passed >= most) for (const socket of sockets) socket.resetAndDestroy()
    })
  }
  const server = createServer((client) => {
    const upstream = connect(to, '127.0.0.1')
    join(client, upstream)
    join(upstream, client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    passed: () => passed,
    cutAfter: (bytes) => {
      passed = 0
      most = bytes
    },
    cutIdle: async () => {
      const closed = [...sockets].map((socket) => once(socket, 'close'))
      for (const socket of sockets) socket.end()
      await Promise.all(closed)
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
