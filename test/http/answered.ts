import type { RequestContext } from '../../src/http/answer/failureOf.js'
import { scrubber } from '../../src/http/secrets/scrub.js'
import type { HttpResponse } from '../../src/index.js'

/** A second attempt, with secrets that no failure may hold. */
export const asking: RequestContext = {
  endpoint: 'GET /api/v1/charges/{id}',
  attempts: 2,
  scrub: scrubber(['very-secret/key', 'short', 'abc']),
}

/** An answer with this body: a text as it is, anything else as JSON. */
export const answered = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse => ({
  status,
  header: (name) => headers[name],
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
