/**
 * A sandbox on a port, with an adapter that serves its pages in the shape of another payments platform: `{ data, has_more }`.
 * Each page is requested by the id after which it starts. Limits and delays are the same.
 *
 *     node bench/lists/server.ts '{"charges":400000,"latency":200}'
 */
import { createServer, type ServerResponse } from 'node:http'
import { createSandbox, listen, sandboxCredentials } from 'payments-rx/sandbox'

const options = JSON.parse(process.argv[2] ?? '{}')
const sandbox = createSandbox(options)
const { url } = await listen(sandbox)

const answer = await sandbox.fetch('http://sandbox/api/v1/authentication/login', {
  method: 'POST',
  headers: {
    'x-client-id': sandboxCredentials.clientId,
    'x-api-key': sandboxCredentials.apiKey,
  },
})
const { token } = await answer.json()

/** Returns the page that starts after an id. */
const pages = new Map<string, number>()

const page = async (query: URLSearchParams, to: ServerResponse): Promise<void> => {
  const num = pages.get(query.get('starting_after') ?? '') ?? 0
  const path = `/api/v1/charges?page_num=${num}&page_size=${query.get('limit') ?? 100}`
  const from = await sandbox.fetch(`http://sandbox${path}`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const text = await from.text()
  const [, last] = /^"([^"]*)"/.exec(text.slice(text.lastIndexOf('"id":') + 5)) ?? []
  if (last !== undefined) pages.set(last, num + 1)
  const body = from.ok
    ? text.replace('"items":', '"object":"list","url":"/v1/charges","data":')
    : JSON.stringify({ error: { type: 'rate_limit_error', message: text } })
  to.writeHead(from.status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }).end(body)
}

const adapter = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? '/', 'http://adapter')
  page(searchParams, response).catch((error: unknown) => response.destroy(Object(error)))
})
adapter.listen(0, '127.0.0.1', () => {
  const address = adapter.address()
  const port = typeof address === 'object' ? address?.port : undefined
  process.send?.({ url, port })
})
process.on('message', () => process.send?.(sandbox.stats().endpoints['GET /api/v1/charges'] ?? {}))
