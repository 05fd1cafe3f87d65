/** Plays replies over HTTP, with the faults that only a socket can have. */
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Settings } from './options.js'
import { half, headersOf, PAUSE, type Play, pieces, type Reply } from './Reply.js'

const whole = ({ status, body, ...reply }: Reply, outgoing: ServerResponse): void => {
  const bytes = Buffer.from(body)
  outgoing.writeHead(status, {
    ...headersOf({ status, body, ...reply }),
    'content-length': bytes.length,
  })
  outgoing.end(bytes)
}

const slow = (reply: Reply, outgoing: ServerResponse, after: Settings['after']): void => {
  const all = pieces(reply)
  const send = (n: number): void => {
    const piece = all[n]
    if (outgoing.destroyed) return
    if (piece === undefined) {
      outgoing.end()
    } else {
      outgoing.write(piece)
      after(PAUSE, () => send(n + 1))
    }
  }
  outgoing.writeHead(reply.status, headersOf(reply))
  send(0)
}

const firstHalf = (reply: Reply, outgoing: ServerResponse, then: () => void): void => {
  outgoing.writeHead(reply.status, {
    ...headersOf(reply),
    'content-length': Buffer.byteLength(reply.body),
  })
  outgoing.write(half(reply), then)
}

export const onSocket =
  (outgoing: ServerResponse, after: Settings['after']): Play =>
  (reply, finished) => {
    outgoing.once('close', finished) // comes after the last byte, and when the other side hangs up
    switch (reply.manner) {
      case 'whole':
        whole(reply, outgoing)
        break
      case 'reset':
        outgoing.socket?.resetAndDestroy()
        break
      case 'silent':
        break
      case 'cut-off':
        firstHalf(reply, outgoing, () => outgoing.socket?.destroy())
        break
      case 'stall':
        firstHalf(reply, outgoing, () => {})
        break
      case 'slow':
        slow(reply, outgoing, after)
        break
    }
    return RESPONSE_ALREADY_SENT
  }
