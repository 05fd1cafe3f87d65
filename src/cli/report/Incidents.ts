/** What went wrong on the way, each kind once, with how often and when. */

// model

export interface Incident {
  readonly what: string
  readonly count: number
  /** In ms since the start. */
  readonly first: number
  readonly last: number
}

export interface Incidents {
  readonly kinds: ReadonlyMap<string, Incident>
  /** Those of kinds that there was no more room for. */
  readonly others: number
}

export const NO_INCIDENTS: Incidents = { kinds: new Map(), others: 0 }

/** Messages may be of any number of kinds; a report has room for so many. */
const MOST = 40

// combinators

export const addIncident =
  (what: string, at: number) =>
  ({ kinds, others }: Incidents): Incidents => {
    const before = kinds.get(what)
    if (before === undefined && kinds.size >= MOST) return { kinds, others: others + 1 }
    const { count, first } = before ?? { count: 0, first: at }
    return { kinds: new Map(kinds).set(what, { what, count: count + 1, first, last: at }), others }
  }
