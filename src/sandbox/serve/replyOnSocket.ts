/** Sends replies over HTTP, with the faults that only a socket can have. */
import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { SchedulerLike } from 'rxjs'
import { firstHalf, PAUSE, pieces, type Reply, type SendReply } from './Reply.js'

export const replyOnSocket =
  (outgoing: ServerResponse): SendReply =>
  (reply, finished, timer) => {
    if (outgoing.destroyed) {
      finished() // the client is gone
      return RESPONSE_ALREADY_SENT
    }
    outgoing.once('finish', finished) // the last byte was handed to the system
    outgoing.once('close', finished) // or the client hung up
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

/** An empty body is sent in chunks, of which the last is missing: with its length it would be complete. */
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
