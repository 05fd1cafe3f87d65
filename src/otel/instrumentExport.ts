import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { Observable } from 'rxjs'
import { E, withoutUndefined } from '../fp.js'
import { keepContext } from '../stream/asyncContext.js'
import { exportCounters } from './metrics.js'
import { type InstrumentOptions, telemetryOf } from './options.js'

/**
 * Creates an operator that traces an export or a sync. It records one span for the run, which contains the spans of its calls,
 * and counts rows and bytes. Example: `exportTo(list, options).pipe(instrumentExport())`. Throws an `InvalidOption` for an
 * invalid option.
 */
export const instrumentExport = (options: InstrumentOptions = {}) => {
  const telemetry = telemetryOf(options, 'instrumentExport')
  const { tracer, attributes } = telemetry
  const counters = exportCounters(telemetry)
  return <
    A extends E.Either<
      { readonly _tag: string },
      // written out, so that a program that emits declarations does not have to name the type
      {
        readonly rows: number
        readonly rejects: number
        readonly pages: number
        readonly ended: boolean
        readonly started?: { readonly resumed: boolean }
        readonly run?: { readonly files: ReadonlyArray<{ readonly bytes: number }> }
      }
    >,
  >(
    source: Observable<A>,
  ): Observable<A> =>
    new Observable<A>((subscriber) => {
      const parent = context.active()
      const span = tracer.startSpan('export', { kind: SpanKind.INTERNAL, attributes }, parent)
      const counted = counters()
      let outcome = 'cancelled'
      subscriber.add(() => {
        span.setAttribute('payments_rx.outcome', outcome)
        span.end()
      })
      const fail = (type: string): void => {
        outcome = 'failed'
        span.setAttribute('error.type', type)
        span.setStatus({ code: SpanStatusCode.ERROR })
      }
      const observer = {
        next: (event: A): void => {
          if (E.isLeft(event)) fail(event.left._tag)
          else {
            const { rows, rejects, pages, started, ended } = event.right
            counted(event.right)
            span.setAttributes({
              'payments_rx.rows': rows,
              'payments_rx.rejects': rejects,
              'payments_rx.pages': pages,
              ...withoutUndefined({ 'payments_rx.resumed': started?.resumed }),
            })
            if (ended) outcome = 'succeeded'
          }
          subscriber.next(event)
        },
        error: (error: unknown): void => {
          fail('error')
          subscriber.error(error)
        },
        complete: (): void => subscriber.complete(),
      }
      subscriber.add(context.with(trace.setSpan(parent, span), () => source.subscribe(observer)))
    }).pipe(keepContext())
}
