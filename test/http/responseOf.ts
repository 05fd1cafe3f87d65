import type { RequestContext } from '../../src/http/answer/failureOf.js'
import { scrubber } from '../../src/http/secrets.js'
import type { HttpResponse } from '../../src/index.js'

/** A second attempt, with secrets that no failure may hold. */
export const context: RequestContext = {
  endpoint: 'GET /api/v1/charges/{id}',
  isWrite: false,
  attempts: 2,
  scrub: scrubber(['very-secret/key', 'short', 'abc']),
}

/** A response with this body: a string as it is, any other value as JSON. */
export const responseOf = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse => ({
  status,
  header: (name) => headers[name],
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
