import type { Observable } from 'rxjs'
import type { Decodes } from '../../codec/Codec.js'
import type { DriftFact } from '../../decode/index.js'
import type { IO } from '../../fp.js'
import type { ClientEvent } from '../ClientEvent.js'

// model

/** The client of a list: where it reads, as whom, and how its work can be watched. */
export interface ListOrigin {
  /** Where the platform is, without a slash at its end. */
  readonly baseUrl: string
  /** The client id of the credentials, or of the partner's application; absent with a token source. */
  readonly clientId?: string
  /** The account that is logged in as. */
  readonly loginAs?: string
  /** The connected account that is acted for. */
  readonly onBehalfOf?: string
  /** The version of the API that is asked for. */
  readonly apiVersion?: string
  /** `exact`: rows keep the digits of their numbers. */
  readonly numbers: 'exact' | 'fast'
  /** Requests a second that the limits of the client allow; `Infinity` without limits. */
  readonly perSecond: number
  /** What the client does, as it happens. */
  readonly events: Observable<ClientEvent>
  /** What came so far that no codec names. */
  readonly drift: IO<ReadonlyArray<DriftFact>>
  /** A value without the keys and tokens of the client. */
  readonly scrub: (u: unknown) => unknown
}

/** What a list reads: enough to know its rows again after a crash, and to refuse those of another list. */
export interface ListDescription<A> extends ListOrigin {
  /** The route, such as `GET /api/v1/charges`. */
  readonly endpoint: string
  /** A `snapshot` has slices of time and each row once; rows of a plain `list` may come again. */
  readonly kind: 'list' | 'snapshot'
  /** The parameters that choose rows: all but the page size. */
  readonly query: Readonly<Record<string, unknown>>
  /** Decodes a row. */
  readonly codec: Decodes<A>
}
