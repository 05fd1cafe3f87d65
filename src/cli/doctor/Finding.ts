/** The result of one check, and what to do about it. */
import { withoutUndefined } from '../../fp.js'

// model

export interface Finding extends Verdict {
  /** Never changes, since scripts select by it. */
  readonly check: string
}

/** A finding, without the name of its check. */
export interface Verdict {
  readonly verdict: 'ok' | 'warning' | 'failed' | 'skipped'
  /** One line. */
  readonly found: string
  readonly advice?: string
  readonly facts?: Facts
}

/** For machines; units are in the names. */
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

/** Ok; with advice, a warning. */
export const found: typeof failed = (text, facts, advice) =>
  judged(advice === undefined ? 'ok' : 'warning')(text, facts, advice)
