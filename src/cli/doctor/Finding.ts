/** The result of one check, and what to do about it. */
import { withoutUndefined } from '../../fp.js'

// model

export interface Finding extends Verdict {
  /** Name of the check; stable, since scripts select by it. */
  readonly check: string
}

/** A finding, without the name of its check. */
export interface Verdict {
  readonly verdict: 'ok' | 'warning' | 'failed' | 'skipped'
  /** The result in one line. */
  readonly found: string
  readonly advice?: string
  readonly facts?: Facts
}

/** Facts for programs, with units in the names. */
type Facts = Readonly<Record<string, string | number | boolean | null | ReadonlyArray<string>>>

// constructors

const judged =
  (verdict: Verdict['verdict']) =>
  (found: string, facts?: Facts, advice?: string): Verdict => ({
    verdict,
    found,
    ...withoutUndefined({ advice, facts }),
  })

export const failed = judged('failed')
export const skipped = judged('skipped')

/** Creates an `ok` finding; with advice, a warning. */
export const found: typeof failed = (text, facts, advice) =>
  judged(advice === undefined ? 'ok' : 'warning')(text, facts, advice)
