/** What a report says of an export, besides its charts. */
import type { RunProgress } from '../../export/index.js'
import { iso } from '../../export/run/entry.js'
import { defined } from '../../fp.js'
import { isComplete, type Meter } from '../Meter.js'
import { number, percent } from '../progress/words.js'
import type { Facts } from '../report/page.js'
import type { Conclusion } from './conclusion.js'
import type { Prepared } from './prepare.js'

/** An export that has ended. */
interface Ended {
  readonly prepared: Pick<Prepared, 'title' | 'query'>
  readonly last: RunProgress
  readonly meter: Meter
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
  meter,
  conclusion,
  began,
  ms,
  summary,
  version,
}: Ended): Facts => ({
  title: prepared.title,
  began,
  ms,
  isComplete: isComplete(meter),
  summary,
  ...defined({ reason: conclusion.reason }),
  query: [...Object.entries(prepared.query), ...boundsOf(last)],
  counts: [
    ['rows', number(meter.rows)],
    ['rejected', number(meter.rejects)],
    ['repeated', number(meter.repeated ?? 0)],
    ['requests', number(meter.requests)],
    ['refused', number(meter.refused)],
    ...(last.entry?.quota === undefined
      ? []
      : [['of the quota', percent(last.entry.quota)] as const]),
  ],
  files: last.entry?.files ?? [],
  version,
})

/** From when to when rows were created, of a list that is read by time. */
const boundsOf = ({ entry }: RunProgress): Facts['query'] =>
  entry?.bounds === undefined
    ? []
    : [
        ['created from', entry.bounds.from === 0 ? 'the beginning' : iso(entry.bounds.from)],
        ['created before', iso(entry.bounds.to)],
      ]
