/** Errors of S3, and how to handle them. */
import { oneLine } from '../decode/redact.js'
import { isKnown, remedyOf } from './remedies.js'
import { type StoreError, storeError } from './StoreError.js'
import { textOf } from './xml.js'

/** Why a request failed. */
export interface S3Refusal {
  /** Code of the service, such as `NoSuchBucket`, or of the system, such as `ECONNREFUSED`. */
  readonly code: string
  readonly status?: number
  readonly isTransient: boolean
  /** The service's message, or the host if it does not respond. */
  readonly words?: string
  /** Region of the bucket, if the service reports it. */
  readonly region?: string
}

interface RefusedAnswer {
  readonly status: number
  readonly headers: Headers
  readonly xml: string
  /** Values that the service may repeat and that must not be shown. */
  readonly secrets: ReadonlyArray<string>
}

/** Error codes for expired credentials. */
export const EXPIRED: ReadonlyArray<string> = [
  'ExpiredToken',
  'ExpiredTokenException',
  'RequestExpired',
]

/** Error code for clocks that differ by more than 15 minutes. */
export const SKEWED = 'RequestTimeTooSkewed'

/** An error code such as `NoSuchKey`. Anything else in its place is not shown. */
const CODE = /^[A-Z][A-Za-z0-9]{1,63}$/

/** Statuses of permanent refusals, for which even an unlisted code needs action. */
const REFUSES: ReadonlyArray<number> = [400, 401, 403, 405]

const REGION = /^[a-z0-9-]{1,32}$/

/** Maximum length of a shown message, in characters. */
const MOST_WORDS = 300

/** Number of consecutive characters of a secret that cannot be a coincidence. */
const REPEATED = 8

/** Parses an error response, without secrets. */
export const refusalOf = ({ status, headers, xml, secrets }: RefusedAnswer): S3Refusal => {
  const isShown = (text: string): boolean => !secrets.some((secret) => repeats(text, secret))
  const sent = textOf(xml, 'Code') ?? ''
  const isCode = isKnown(sent) || (CODE.test(sent) && isShown(sent))
  const isUnlisted = !isKnown(sent) && REFUSES.includes(status)
  const code = !isCode ? `HTTP ${status}` : isUnlisted ? `HTTP ${status} ${sent}` : sent
  // not implemented, so a retry cannot help
  const isFault = status >= 500 && status !== 501
  const isTransient = isFault || status === 429 || status === 408 || code === 'RequestTimeout'
  const words = oneLine(textOf(xml, 'Message') ?? '').slice(0, MOST_WORDS)
  const region = headers.get('x-amz-bucket-region') ?? textOf(xml, 'Region') ?? ''
  return {
    ...{ code, status, isTransient },
    ...(words !== '' && words !== code && isShown(words) ? { words } : {}),
    ...(REGION.test(region) ? { region } : {}),
  }
}

/** Returns true if a text contains a secret or a part of one. */
const repeats = (text: string, secret: string): boolean => {
  if (text.includes(secret)) return true
  for (let i = 0; i + REPEATED <= text.length; i++) {
    if (secret.includes(text.slice(i, i + REPEATED))) return true
  }
  return false
}

export const systemCode = (error: unknown): string => {
  const { code, cause, name } = Object(error)
  const inner = Object(cause).code
  return [code, inner, name].find((text): text is string => typeof text === 'string') ?? 'unknown'
}

/** Describes a temporary refusal: `503 SlowDown: Please reduce your request rate.` */
export const wordsOf = ({ status, code, words }: S3Refusal): string => {
  const found = status === undefined || code.startsWith('HTTP') ? code : `${status} ${code}`
  return words === undefined ? found : `${found}: ${words}`
}

/** Creates the error for a refusal, with the code, the service's message, and the advice. */
export const refused = (
  method: string,
  path: string,
  { code, words, region }: S3Refusal,
): StoreError => {
  const [tag, verb] =
    method === 'GET' ? (['ReadFailed', 'read'] as const) : (['WriteFailed', 'write'] as const)
  const said = words === undefined ? '' : ` (${words.replace(/\.$/, '')})`
  const known = remedyOf(code).advice
  const isElsewhere = region !== undefined && known?.includes('another region')
  const advice = isElsewhere ? `the bucket is in ${region}: set AWS_REGION` : known
  const message = `cannot ${verb} ${path}: ${code}${said}${advice === undefined ? '' : `: ${advice}`}`
  return storeError(tag, message, { path, code })
}
