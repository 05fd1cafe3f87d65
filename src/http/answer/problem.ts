import { isRecord, parsed, wordOf } from '../../decode/unknown.js'
import { withoutUndefined } from '../../fp.js'

/**
 * The content of an error response. The API description shows a body only for 429. The rest is our assumption: `code` and
 * `message`, and optionally `source`, `details`, `trace_id`.
 */
export interface Problem {
  /** The service's code, or `http_<status>` if the body has none. */
  readonly code: string
  readonly message: string
  readonly traceId?: string
  /** The invalid field, as the service names it. */
  readonly source?: string
  /** The details as received. Their shape is not specified. */
  readonly details?: unknown
}

/** Maximum length of the excerpt from a body that is not JSON, in characters. */
const EXCERPT = 200

/** Reads the body of any error response. Never fails. */
export const problem = (status: number, body: string): Problem => {
  const u = parsed(body)
  if (!isRecord(u)) {
    return { code: `http_${status}`, message: body.slice(0, EXCERPT).trim() || 'no message' }
  }
  const traceId = wordOf(u.trace_id)
  const source = wordOf(u.source)
  const details = u.details ?? u.errors ?? u.params
  return {
    code: wordOf(u.code) ?? `http_${status}`,
    message: wordOf(u.message) ?? 'no message',
    ...withoutUndefined({ traceId, source, details }),
  }
}
