import { concatMap, defer, from, type Observable, of } from 'rxjs'
import {
  type ExportOptions,
  exportList,
  type Format,
  type Progress,
  type Source,
  toStream,
} from '../../export/index.js'
import type { AnyFailure } from '../../http/Failure.js'
import type { Page } from '../../stream/index.js'
import type { Terminal } from '../Terminal.js'

/**
 * Rows to stdout, those that are not written to stderr. What went out cannot be cut back, so nothing is
 * kept. However it ends, a format that has an end gets it.
 */
export const toStdout = <A, Q, P extends Page<AnyFailure, A, Q>>(
  { stdout, stderr }: Pick<Terminal, 'stdout' | 'stderr'>,
  format: Format<A>,
  source: Source<A, Q, P>,
  options: Pick<ExportOptions<A, Q, P>, 'maxRejects' | 'shown' | 'stop' | 'timer'>,
): Observable<Progress<Q>> =>
  defer(() => from(toStream({ stream: stdout, format, close: false }))).pipe(
    concatMap((destination) =>
      exportList<A, Q, P>({
        ...options,
        ...(source.repeats ? { seen: new Set() } : {}),
        misfit: format.misfit,
        sink: (rows) => destination.write(rows, 0),
        rejects: async (rows) => {
          for (const row of rows) stderr.write(`${JSON.stringify(row)}\n`)
        },
      })(source.pages()).pipe(
        concatMap((progress) =>
          progress.ended || progress.failure !== undefined || progress.cut !== undefined
            ? from(destination.finish().then(() => progress))
            : of(progress),
        ),
      ),
    ),
  )
