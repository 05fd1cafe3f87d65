import type { Asking } from '../../src/http/answer/Asking.js'
import { scrubber } from '../../src/http/secrets/scrub.js'
import type { Answer } from '../../src/index.js'

/** A second attempt, with secrets that no failure may hold. */
export const asking: Asking = {
  endpoint: 'GET /api/v1/charges/{id}',
  attempts: 2,
  scrub: scrubber(['very-secret/key', 'short', 'abc']),
}

/** An answer with this body: a text as it is, anything else as JSON. */
export const answered = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  header: (name) => headers[name],
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
