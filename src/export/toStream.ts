/** Exports into a stream or a function: what they took cannot be cut back, so there is no checkpoint. */
import type { Writable } from 'node:stream'
import {
  concatMap,
  defer,
  delay,
  map,
  merge,
  NEVER,
  type Observable,
  of,
  type SchedulerLike,
  startWith,
  take,
  takeWhile,
  tap,
} from 'rxjs'
import { bare, defined } from '../fp.js'
import type { Source } from './ExportSource.js'
import {
  exportList,
  isLast,
  NO_PROGRESS,
  type Pace,
  type Progress,
  type Sink,
} from './exportList.js'
import { openStream } from './file/openStream.js'
import type { Format } from './format/Format.js'
import type { RunEvent } from './run/runExport.js'
import type { Reject } from './sortPage.js'

/** A list, and how it is read. */
interface Reading<A, B> extends Pace<A, B> {
  readonly source: Source<A>
  readonly onReject?: Sink<Reject>
  readonly timer: SchedulerLike
}

/** Time that the reader of a stream has to take what was written, once the export is told to stop, in ms. */
const STOP_GRACE = 1_000

const BEGUN: RunEvent = { ...NO_PROGRESS, begun: { resumed: false } }

/** Writes rows into a stream. The end of the format is written however the list ends, unless the stream fails. */
export const toStream = <A, B>({
  open,
  format,
  endStream,
  ...reading
}: Reading<A, B> & {
  /** Opens the stream when there is something to write to it. */
  readonly open: () => Writable | WritableStream<Uint8Array<ArrayBuffer>>
  readonly format: Format<B>
  readonly endStream?: boolean
}): Observable<RunEvent> =>
  defer(() => {
    let last: Progress = NO_PROGRESS
    const written = defer(() =>
      openStream({ stream: open(), format, ...defined({ close: endStream }) }),
    ).pipe(
      concatMap((rows) =>
        listInto(bare(reading), rows.write, format.check).pipe(
          concatMap((progress) =>
            isLast(progress) ? rows.finish().then(() => progress) : of(progress),
          ),
        ),
      ),
      tap((progress) => {
        last = progress
      }),
    )
    const givenUp = (bare(reading).stop ?? NEVER).pipe(
      take(1),
      delay(STOP_GRACE, reading.timer),
      map((): RunEvent => ({ ...last, cut: 'stopped' })),
    )
    return merge(written, givenUp).pipe(
      takeWhile((progress) => !isLast(progress), true),
      startWith(BEGUN),
    )
  })

/** Gives rows to a function. */
export const toSink = <A, B>({
  sink,
  ...reading
}: Reading<A, B> & { readonly sink: Sink<B> }): Observable<RunEvent> =>
  defer(() => listInto(bare(reading), sink, undefined)).pipe(startWith(BEGUN))

const listInto = <A, B>(
  { source, onReject, ...pace }: Reading<A, B>,
  sink: Sink<B>,
  check: Format<B>['check'] | undefined,
): Observable<Progress> =>
  exportList<A, B>({
    ...pace,
    check,
    list: source.pages(),
    ...(source.repeats ? { seen: new Set() } : {}),
    sink: (rows) => sink(rows),
    rejects: async (rows) => {
      await onReject?.(rows)
    },
  })
