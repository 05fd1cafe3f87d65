/** Plays replies over HTTP, with the faults that only a socket can have. */
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { SchedulerLike } from 'rxjs'
import { half, PAUSE, type Play, pieces, type Reply } from './Reply.js'

const whole = ({ status, body, headers }: Reply, outgoing: ServerResponse): void => {
  outgoing.writeHead(status, { ...headers, 'content-length': body.length })
  outgoing.end(body)
}

const slow = (reply: Reply, outgoing: ServerResponse, timer: SchedulerLike): void => {
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

/** An empty body comes in chunks, of which the last is missing: by its length it would be whole. */
const firstHalf = (reply: Reply, outgoing: ServerResponse, then: () => void): void => {
  const { status, body, headers } = reply
  outgoing.writeHead(
    status,
    body.length === 0 ? headers : { ...headers, 'content-length': body.length },
  )
  outgoing.write(half(reply), then)
}

export const onSocket =
  (outgoing: ServerResponse): Play =>
  (reply, finished, timer) => {
    if (outgoing.destroyed) {
      finished() // nobody waits for it any more
      return RESPONSE_ALREADY_SENT
    }
    outgoing.once('finish', finished) // the last byte is out of our hands
    outgoing.once('close', finished) // or the other side hung up
    switch (reply.manner) {
      case 'whole':
        whole(reply, outgoing)
        break
      case 'reset':
        outgoing.req.socket.resetAndDestroy() // a response has none while it waits for another
        break
      case 'silent':
        break
      case 'cut-off':
        firstHalf(reply, outgoing, () => outgoing.req.socket.destroy())
        break
      case 'stall':
        firstHalf(reply, outgoing, () => {})
        break
      case 'slow':
        slow(reply, outgoing, timer)
        break
    }
    return RESPONSE_ALREADY_SENT
  }
