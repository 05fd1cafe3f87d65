/** The facts of an export that its report shows beside the charts. */
import type { ManifestRun } from '../../export/index.js'
import { iso } from '../../export/transfer/Manifest.js'
import { withoutUndefined } from '../../fp.js'
import { number, percent, plural } from '../../report/text.js'
import { type ExportCounters, isComplete } from '../progress/ExportCounters.js'
import type { ReportFacts } from '../report/report.js'
import type { Conclusion } from './conclusion.js'

/** An export that has ended. */
interface Ended {
  readonly prepared: { readonly title: string; readonly query: Readonly<Record<string, unknown>> }
  readonly run: ManifestRun | undefined
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

export const reportFacts = ({
  prepared,
  run,
  counters,
  conclusion,
  began,
  ms,
  summary,
  version,
}: Ended): ReportFacts => ({
  title: prepared.title,
  began: run === undefined ? began : Math.min(began, Date.parse(run.started)),
  ended: began + ms,
  ms: run?.ms ?? ms,
  starts: run?.starts ?? 1,
  isComplete: isComplete(counters),
  verdict: verdictOf(counters),
  summary,
  ...withoutUndefined({ reason: conclusion.reason }),
  query: [...queryOf(run, prepared), ...boundsOf(run)],
  counts: [
    ['rows', number(counters.rows)],
    ['rejected', number(counters.rejects)],
    ['repeated', number(counters.repeated ?? 0)],
    ['requests', number(run?.requests ?? counters.requests)],
    ['refused', number(run?.refused ?? counters.refused)],
    ...(run?.quota === undefined ? [] : [['of the quota', percent(run.quota)] as const]),
  ],
  files: run?.files ?? [],
  totals: run?.totals ?? [],
  reasons: run?.reasons ?? [],
  version,
})

const verdictOf = (counters: ExportCounters): string => {
  const { rows, rejects } = counters
  const rejected = rejects === 0 ? '' : `, ${number(rejects)} rejected`
  return `${isComplete(counters) ? 'Complete' : 'Incomplete'}: ${plural(rows, 'row')}${rejected}`
}

/** The parameters of the list, with the time that `--since-last` found. */
const queryOf = (
  run: ManifestRun | undefined,
  { query }: Ended['prepared'],
): ReportFacts['query'] =>
  Object.entries(run?.spec.query ?? query).map(([name, value]) => [name, String(value)] as const)

/** From when to when rows were created, of a list that is read by time. */
const boundsOf = (run: ManifestRun | undefined): ReportFacts['query'] =>
  run?.bounds === undefined
    ? []
    : [
        ['created from', run.bounds.from === 0 ? 'the beginning' : iso(run.bounds.from)],
        ['created before', iso(run.bounds.to)],
      ]

/** The recorder is loaded only for a report. */
export const reportingTo = async (path: string | undefined) => {
  if (path === undefined) return undefined
  const { reportTo } = await import('../report/report.js') // or not, to start fast
  return reportTo(path)
}
