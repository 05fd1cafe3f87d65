/** `export --dry-run`: what an export comes to; nothing is written. */
import { isObservable, map, type Observable, of } from 'rxjs'
import type { SnapshotPlan } from '../../client/explainSnapshot.js'
import { E } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { ListPlan } from '../../http/list/List.js'
import { duration, number, plural } from '../../report/text.js'
import { EXIT_COMPLETE } from '../output.js'
import type { Ending } from '../runCommand.js'
import { failureEnding } from './conclusion.js'

/** A list that says what it comes to: at once, or after a few requests. */
export interface Explained {
  readonly explain: () => ListPlan | Observable<E.Either<AnyFailure, SnapshotPlan>>
}

export const dryRun = (source: Explained, parallel?: number): Observable<Ending> => {
  const explained = source.explain()
  const plans: Observable<E.Either<AnyFailure, ListPlan | SnapshotPlan>> = isObservable(explained)
    ? explained
    : of(E.right(explained))
  return plans.pipe(map(E.match(failureEnding, (plan): Ending => printed(linesOf(plan, parallel)))))
}

const linesOf = (plan: ListPlan | SnapshotPlan, parallel?: number): ReadonlyArray<string> => [
  ...('rows' in plan ? countedLines(plan, parallel) : uncountedLines(plan)),
  ...ceilingLine(plan),
]

/** Ends a dry run. */
export const printed = (lines: ReadonlyArray<string>): Ending => ({
  status: EXIT_COMPLETE,
  summary: [...lines, 'nothing was written'].join('\n'),
})

const countedLines = (plan: SnapshotPlan, parallel?: number): ReadonlyArray<string> => {
  const { rows, precision, probes, requests = 0, pageSize = 0, seconds = 0 } = plan
  const least = precision === 'at least' ? 'at least ' : ''
  const about = precision === 'about' ? 'about ' : ''
  const some = `${least}${about}`
  const width =
    parallel === undefined
      ? 'enough concurrent requests for the full rate limit'
      : plural(parallel, 'concurrent request')
  return [
    `rows      ${some}${number(rows)} (${plural(probes, 'request')} to count them)`,
    `requests  ${some}${number(requests)} of ${number(pageSize)} rows each`,
    `time      ${least === '' ? 'about' : 'at least'} ${duration(seconds * 1_000)}, with ${width}`,
  ]
}

const uncountedLines = ({ pageSize }: ListPlan): ReadonlyArray<string> => [
  'rows      unknown: the list says only whether there are more',
  ...(pageSize === undefined ? [] : [`requests  one for ${number(pageSize)} rows`]),
]

const ceilingLine = ({ ceiling, limit, pageSize }: ListPlan): ReadonlyArray<string> => {
  if (ceiling === undefined || pageSize === undefined || limit === undefined) return []
  const perSecond = number(ceiling / pageSize)
  const most = Number.isFinite(ceiling)
    ? `${number(ceiling)} rows/s, by ${perSecond} requests a second`
    : 'none'
  return [`ceiling   ${most}; limited by ${BOTTLENECKS[limit]}`]
}

const BOTTLENECKS: Readonly<Record<Required<ListPlan>['limit'], string>> = {
  endpoint: 'the limit of this endpoint',
  global: 'the limit of all endpoints together',
  concurrency: 'the limit of concurrent requests',
  parallel: 'concurrent requests, at the time that a page takes',
}
