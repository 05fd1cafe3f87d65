/** What a client did for a run: counted from its events. */
import type { Observable } from 'rxjs'
import type { DriftFact } from '../../decode/index.js'
import type { IO } from '../../fp.js'
import type { ClientEvent } from '../../http/ClientEvent.js'

// model

/** The part of a client that a run looks at. */
export interface Watched {
  /** What it did. */
  readonly events: Observable<ClientEvent>
  /** What of the answers differs from the codecs. */
  readonly drift: IO<ReadonlyArray<DriftFact>>
}

/** What was counted since it began. */
export interface Tally {
  readonly requests: () => number
  readonly refused: () => number
  readonly close: () => void
}

// constructors

/** Counts until it is closed; without a client, nothing. */
export const tallyOf = (client: Watched | undefined): Tally => {
  let requests = 0
  let refused = 0
  const watching = client?.events.subscribe((event) => {
    if (event._tag !== 'Answered') return
    requests++
    if (event.status === 429) refused++
  })
  return {
    requests: () => requests,
    refused: () => refused,
    close: () => watching?.unsubscribe(),
  }
}
