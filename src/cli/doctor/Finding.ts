/** The result of one check, with advice. */
import { withoutUndefined } from '../../fp.js'

export interface Finding extends Verdict {
  /** Name of the check. It is stable, because scripts select checks by name. */
  readonly check: string
}

/** A finding without the name of its check. */
export interface Verdict {
  readonly verdict: 'ok' | 'warning' | 'failed' | 'skipped'
  /** The result in one line. */
  readonly found: string
  readonly advice?: string
  readonly facts?: Facts
}

/** Facts for programs. Their names contain the units. */
type Facts = Readonly<Record<string, string | number | boolean | null | ReadonlyArray<string>>>

const judged =
  (verdict: Verdict['verdict']) =>
  (found: string, facts?: Facts, advice?: string): Verdict => ({
    verdict,
    found,
    ...withoutUndefined({ advice, facts }),
  })

export const failed = judged('failed')
export const skipped = judged('skipped')

/** Creates an `ok` finding, or a warning if there is advice. */
export const found: typeof failed = (text, facts, advice) =>
  judged(advice === undefined ? 'ok' : 'warning')(text, facts, advice)
