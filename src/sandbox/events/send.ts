/** Signs and sends one delivery, and waits for the response. */
import { createHmac } from 'node:crypto'
import * as http from 'node:http'
import * as https from 'node:https'
import { timer as after, defer, firstValueFrom, map, race, type SchedulerLike } from 'rxjs'
import { sign } from '../../webhooks/sign.js'

/** Sends a request to a receiver; a function like `fetch`. */
export type Deliver = (request: Request) => Promise<Response>

export interface Outgoing {
  readonly url: string
  readonly secret: string
  readonly body: string
  /** The time of signing that the delivery states, in ms since 1970. */
  readonly signedAt: number
}

/** The response of a receiver, or why there is none. */
export type SendOutcome =
  | { readonly _tag: 'Answered'; readonly status: number }
  | { readonly _tag: 'Failed'; readonly reason: string }

/** Time limit for a response, in ms. The API description does not give the limit of the service. */
const ANSWER_TIME = 10_000

/** Computes an HMAC synchronously. Web Crypto takes several turns of the event loop, in which virtual time would pass. */
const hmacSha256 = ({
  secret,
  message,
}: {
  readonly secret: string
  readonly message: Uint8Array
}) => createHmac('sha256', secret).update(message).digest('hex')

/** Signs and sends a delivery with the default scheme. Never rejects. */
export const sendDelivery = async (
  { url, secret, body, signedAt }: Outgoing,
  deliver: Deliver | undefined,
  timer: SchedulerLike,
): Promise<SendOutcome> => {
  const end = new AbortController()
  const { signal } = end
  const signed = await sign({ secret, scheme: { signature: hmacSha256 } })({
    body,
    timestamp: signedAt,
  })
  const headers = { 'content-type': 'application/json', ...signed }
  const answered = defer(async (): Promise<SendOutcome> => {
    try {
      const status = await (deliver === undefined
        ? post(url, headers, body, signal)
        : statusFrom(deliver, new Request(url, { method: 'POST', headers, body, signal })))
      return { _tag: 'Answered', status }
    } catch (error) {
      return { _tag: 'Failed', reason: reasonOf(error) }
    }
  })
  const late = after(ANSWER_TIME, timer).pipe(
    map((): SendOutcome => ({ _tag: 'Failed', reason: `no response in ${ANSWER_TIME / 1_000} s` })),
  )
  const outcome = await firstValueFrom(race(answered, late))
  end.abort()
  return outcome
}

const statusFrom = async (deliver: Deliver, request: Request): Promise<number> => {
  const response = await deliver(request)
  await response.body?.cancel()
  return response.status
}

/** Posts a text, and resolves with the status. Does not follow redirects. Takes a third of the time of `fetch`. */
const post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  signal: AbortSignal,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const { request } = url.startsWith('https:') ? https : http
    const length = String(Buffer.byteLength(body))
    const options = { method: 'POST', headers: { ...headers, 'content-length': length }, signal }
    const sent = request(url, options, (response) => {
      response.resume()
      response.once('error', reject)
      response.once('end', () => resolve(response.statusCode ?? 0))
    })
    sent.once('error', reject)
    sent.end(body)
  })

/** Returns the reason for a failure. This is the system's code, which is more precise than `fetch failed`. */
const reasonOf = (error: unknown): string => {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error
  if (!(cause instanceof Error)) return String(cause)
  return 'code' in cause ? String(cause.code) : cause.message
}
