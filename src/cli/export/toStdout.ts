import {
  concatMap,
  defer,
  delay,
  map,
  merge,
  type Observable,
  of,
  startWith,
  take,
  takeWhile,
  tap,
} from 'rxjs'
import { jsonOf } from '../../export/column/jsonOf.js'
import {
  type ExportOptions,
  exportList,
  type Format,
  type Progress,
  type RunProgress,
  type Source,
  toStream,
} from '../../export/index.js'
import { isLast, NO_PROGRESS } from '../../export/Progress.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Page } from '../../stream/index.js'
import type { Terminal } from '../Terminal.js'

type Options<A, Q, P extends Page<AnyFailure, A, Q>> = Pick<
  ExportOptions<A, Q, P>,
  'maxRejects' | 'shown'
> &
  Required<Pick<ExportOptions<A, Q, P>, 'stop' | 'timer'>>

/** Once it is told to stop, how long it waits for who reads to take what was written, in ms. */
const GRACE = 1_000

/**
 * Rows to stdout, those that are not written to stderr. What went out cannot be cut back, so nothing is
 * kept. However it ends, a format that has an end gets it, unless nobody reads.
 */
export const toStdout = <A, Q, P extends Page<AnyFailure, A, Q>>(
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>,
  format: Format<A>,
  source: Source<A, Q, P>,
  options: Options<A, Q, P>,
): Observable<RunProgress<Q>> =>
  defer(() => {
    let last: Progress<Q> = NO_PROGRESS
    const begun: RunProgress<Q> = { ...last, begun: { resumed: false } }

    const json = jsonOf('exact')
    const written = defer(() => toStream({ stream: stdout, format, close: false })).pipe(
      concatMap((destination) =>
        exportList<A, Q, P>({
          ...options,
          list: source.pages(),
          ...(source.repeats ? { seen: new Set() } : {}),
          misfit: format.misfit,
          sink: (rows) => destination.write(rows, 0),
          rejects: async (rows) => {
            for (const row of rows) stderr.write(`${json(row)}\n`)
          },
        }).pipe(
          concatMap((progress) =>
            isLast(progress) ? destination.finish().then(() => progress) : of(progress),
          ),
        ),
      ),
      tap((progress) => {
        last = progress
      }),
    )
    const givenUp = options.stop.pipe(
      take(1),
      delay(GRACE, options.timer),
      map((): RunProgress<Q> => ({ ...last, cut: 'stopped' })),
    )
    return merge(written, givenUp).pipe(
      takeWhile((progress) => !isLast(progress), true),
      startWith(begun),
    )
  })
