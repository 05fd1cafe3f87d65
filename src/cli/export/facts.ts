/** What a report says of an export, besides its charts. */

import type { RunProgress } from '../../export/index.js'
import { iso } from '../../export/run/entry.js'
import { defined } from '../../fp.js'
import { type ExportCounters, isComplete } from '../progress/ExportCounters.js'
import type { ReportFacts } from '../report/report.js'
import { number, percent } from '../text.js'
import type { Conclusion } from './conclusion.js'
import type { Prepared } from './prepare.js'

/** An export that has ended. */
interface Ended {
  readonly prepared: Pick<Prepared, 'title' | 'query'>
  readonly last: RunProgress
  readonly counters: ExportCounters
  readonly conclusion: Conclusion
  /** In ms since 1970. */
  readonly began: number
  /** How long it took. */
  readonly ms: number
  /** One line, whatever happened. */
  readonly summary: string
  readonly version: string
}

export const factsOf = ({
  prepared,
  last,
  counters,
  conclusion,
  began,
  ms,
  summary,
  version,
}: Ended): ReportFacts => ({
  title: prepared.title,
  began,
  ms,
  isComplete: isComplete(counters),
  summary,
  ...defined({ reason: conclusion.reason }),
  query: [...Object.entries(prepared.query), ...boundsOf(last)],
  counts: [
    ['rows', number(counters.rows)],
    ['rejected', number(counters.rejects)],
    ['repeated', number(counters.repeated ?? 0)],
    ['requests', number(counters.requests)],
    ['refused', number(counters.refused)],
    ...(last.entry?.quota === undefined
      ? []
      : [['of the quota', percent(last.entry.quota)] as const]),
  ],
  files: last.entry?.files ?? [],
  version,
})

/** From when to when rows were created, of a list that is read by time. */
const boundsOf = ({ entry }: RunProgress): ReportFacts['query'] =>
  entry?.bounds === undefined
    ? []
    : [
        ['created from', entry.bounds.from === 0 ? 'the beginning' : iso(entry.bounds.from)],
        ['created before', iso(entry.bounds.to)],
      ]
