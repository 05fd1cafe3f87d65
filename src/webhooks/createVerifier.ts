/** Verifies that a delivery comes from the service. */
import { concatMap, defer, first, from, map, type Observable } from 'rxjs'
import { type UndecodableEvent, undecodable, WebhookEvent } from '../codec/WebhookEvent.js'
import { causes } from '../decode/index.js'
import { plural } from '../decode/plural.js'
import { redact } from '../decode/redact.js'
import { E, pipe } from '../fp.js'
import { resolveOptions } from '../options/index.js'
import { left, type ObservableEither } from '../stream/either/ObservableEither.js'
import { bytesOf, type Delivery, headerOf } from './Delivery.js'
import {
  type VerifierOptions,
  type VerifierSettings,
  verifierSettings,
  verifierTable,
} from './VerifierOptions.js'
import { forged, stale, unsigned, type WebhookFailure } from './WebhookFailure.js'

/** Emits the event of a delivery, or the first reason to reject it. */
export type Verify = (delivery: Delivery) => ObservableEither<WebhookFailure, WebhookEvent>

/** The claims of a delivery that has not been verified yet. */
interface SignedClaim {
  readonly body: Uint8Array
  /** The delivery id; empty if the scheme has none. */
  readonly id: string
  readonly timestamp: string
  readonly sentAt: number
  readonly signature: string
}

/** Creates a verifier. Throws an `InvalidOption` for invalid options. */
export const createVerifier = (options: VerifierOptions): Verify =>
  verifierOf(verifierSettings(resolveOptions(options, verifierTable)))

/** Creates a verifier from checked options. */
export const verifierOf =
  (settings: VerifierSettings): Verify =>
  (delivery) =>
    defer(() => pipe(claimOf(settings, delivery), E.match(left, examine(settings))))

const claimOf = (
  { scheme }: VerifierSettings,
  { headers, body }: Delivery,
): E.Either<WebhookFailure, SignedClaim> =>
  pipe(
    E.Do,
    E.apS('body', bytesOf(body)),
    E.apSW('id', scheme.idHeader === undefined ? E.right('') : headerOf(headers, scheme.idHeader)),
    E.apSW('timestamp', headerOf(headers, scheme.timestampHeader)),
    E.apSW('signature', headerOf(headers, scheme.signatureHeader)),
    E.let('sentAt', ({ timestamp }) => scheme.sentAt(timestamp)),
    E.filterOrElseW(
      ({ sentAt }) => Number.isFinite(sentAt), // a custom scheme may return any value
      ({ timestamp }) =>
        unsigned(scheme.timestampHeader, 'a time, such as Unix milliseconds', redact(timestamp)),
    ),
  )

/** Verifies a claim. Checks the age last, so that a stale delivery is known to be genuine. */
const examine =
  (settings: VerifierSettings) =>
  (claim: SignedClaim): ObservableEither<WebhookFailure, WebhookEvent> =>
    isGenuine(settings, claim).pipe(
      map((genuine): E.Either<WebhookFailure, WebhookEvent> => {
        const { scheme, secrets, tolerance, timer } = settings
        const { body, signature, sentAt } = claim
        if (!genuine) {
          const shown = redact(signature)
          return E.left(forged(scheme.signatureHeader, shown, secrets.length, body.length))
        }
        const age = timer.now() - sentAt
        return Math.abs(age) <= tolerance ? eventOf(body) : E.left(stale(age, tolerance))
      }),
    )

const isGenuine = (
  { scheme, secrets }: VerifierSettings,
  { body, id, timestamp, signature }: SignedClaim,
): Observable<boolean> => {
  const message = scheme.message(timestamp, body, id)
  return from(secrets).pipe(
    concatMap((secret) => scheme.algorithm({ secret, message, signature })),
    first((fits) => fits === true, false),
  )
}

/** `expected` text for an invalid body. */
const JSON_TEXT = 'JSON in UTF-8, not nested too deeply'

const eventOf = (body: Uint8Array): E.Either<UndecodableEvent, WebhookEvent> => {
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    return pipe(
      WebhookEvent.decode(json),
      E.mapLeft((errors) => undecodable(causes(errors))),
    )
  } catch {
    return E.left(
      undecodable([
        {
          path: '',
          expected: JSON_TEXT,
          actual: `${plural(body.length, 'byte')} of something else`,
        },
      ]),
    )
  }
}
