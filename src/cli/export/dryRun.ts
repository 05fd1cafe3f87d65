/** `export --dry-run`: what an export comes to; nothing is written. */
import { firstValueFrom, isObservable, map, merge, type Observable, of } from 'rxjs'
import type { SnapshotPlan } from '../../client/explainSnapshot.js'
import { E } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { ListPlan } from '../../http/list/List.js'
import { duration, number, plural } from '../../report/text.js'
import { EXIT_BY_SIGNAL, EXIT_COMPLETE, EXIT_INCOMPLETE, EXIT_USAGE, outputTo } from '../output.js'
import type { Terminal } from '../Terminal.js'
import { isFinal, withAdvice } from './conclusion.js'

/** A list that says what it comes to: at once, or after a few requests. */
export interface Explained {
  readonly explain: () => ListPlan | Observable<E.Either<AnyFailure, SnapshotPlan>>
}

/** Resolves with the exit status. */
export const dryRun = async (
  terminal: Pick<Terminal, 'stdout' | 'stderr' | 'signals'>,
  source: Explained,
  parallel?: number,
): Promise<number> => {
  const output = outputTo(terminal)
  const explained = source.explain()
  const plans: Observable<E.Either<AnyFailure, ListPlan | SnapshotPlan>> = isObservable(explained)
    ? explained
    : of(E.right(explained))
  const ended = plans.pipe(
    map((plan): number => {
      if (E.isLeft(plan)) {
        output.complain(withAdvice(plan.left))
        return isFinal(plan.left) ? EXIT_USAGE : EXIT_INCOMPLETE
      }
      for (const line of linesOf(plan.right, parallel)) output.print(line)
      return EXIT_COMPLETE
    }),
  )
  const stopped = terminal.signals.pipe(map((signal) => EXIT_BY_SIGNAL[signal]))
  const status = await firstValueFrom(merge(ended, stopped))
  const failure = await output.failure()
  if (failure === undefined) return status
  output.complain(`cannot write stdout: ${failure.message}`)
  return EXIT_INCOMPLETE
}

const linesOf = (plan: ListPlan | SnapshotPlan, parallel?: number): ReadonlyArray<string> => [
  ...('rows' in plan ? countedLines(plan, parallel) : uncountedLines(plan)),
  ...ceilingLine(plan),
  'nothing was written',
]

const countedLines = (plan: SnapshotPlan, parallel?: number): ReadonlyArray<string> => {
  const { rows, precision, probes, requests = 0, pageSize = 0, seconds = 0 } = plan
  const least = precision === 'at least' ? 'at least ' : ''
  const about = precision === 'about' ? 'about ' : ''
  const some = `${least}${about}`
  const width =
    parallel === undefined
      ? 'as many requests at a time as use the limits up'
      : `${plural(parallel, 'request')} at a time`
  return [
    `rows      ${some}${number(rows)} (${plural(probes, 'request')} to count them)`,
    `requests  ${some}${number(requests)} of ${number(pageSize)} rows each`,
    `time      ${least === '' ? 'about' : 'at least'} ${duration(seconds * 1_000)}, with ${width}`,
  ]
}

const uncountedLines = ({ pageSize }: ListPlan): ReadonlyArray<string> => [
  'rows      unknown: the list says no more than whether it goes on',
  ...(pageSize === undefined ? [] : [`requests  one for ${number(pageSize)} rows`]),
]

const ceilingLine = ({ ceiling, limit, pageSize }: ListPlan): ReadonlyArray<string> => {
  if (ceiling === undefined || pageSize === undefined || limit === undefined) return []
  const perSecond = number(ceiling / pageSize)
  const most = Number.isFinite(ceiling)
    ? `${number(ceiling)} rows/s, by ${perSecond} requests a second`
    : 'none'
  return [`ceiling   ${most}; what binds: ${BINDS[limit]}`]
}

const BINDS: Readonly<Record<Required<ListPlan>['limit'], string>> = {
  endpoint: 'the limit of this endpoint',
  global: 'the limit of all endpoints together',
  concurrency: 'the limit of requests at the same time',
  parallel: 'the requests at a time, by how long a page takes',
}
