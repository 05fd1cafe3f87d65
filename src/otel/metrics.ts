/** The metrics: durations of requests, the state of the scheduler, and what exports have written. */
import { type Attributes, type BatchObservableResult, ValueType } from '@opentelemetry/api'
import { take } from 'rxjs'
import type { Client } from '../client/createClient.js'
import type { IO } from '../fp.js'
import type { SchedulerState } from '../scheduler/index.js'
import { serverAttributes } from './attributes.js'
import type { Telemetry } from './options.js'

// requests

/** Records how long a request took, in ms, by its attributes. */
export type RecordDuration = (attributes: Attributes, took: number) => void

/** In seconds, as the semantic conventions advise. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** Makes the histogram `http.client.request.duration`. */
export const requestDuration = ({ meter }: Pick<Telemetry, 'meter'>): RecordDuration => {
  const histogram = meter.createHistogram('http.client.request.duration', {
    description: 'Duration of HTTP client requests.',
    unit: 's',
    valueType: ValueType.DOUBLE,
    advice: { explicitBucketBoundaries: BOUNDARIES },
  })
  return (attributes, took) => histogram.record(took / 1_000, attributes)
}

// scheduler

/**
 * Observes the state of a client's scheduler whenever metrics are collected, unless another client that shares it is
 * observed in its place. Returns a function that ends that.
 */
export const schedulerMetrics = (
  { meter, attributes }: Pick<Telemetry, 'meter' | 'attributes'>,
  { charges, scheduler }: Pick<Client, 'charges' | 'scheduler'>,
  isObserved: IO<boolean>,
): IO<void> => {
  const { baseUrl } = charges.list().describe()
  const common = { ...attributes, ...serverAttributes(baseUrl) }
  const waiting = meter.createObservableUpDownCounter('payments_rx.scheduler.waiting', {
    description: 'Requests that wait for a limit, or for the pause after a refusal.',
    unit: '{request}',
  })
  const running = meter.createObservableUpDownCounter('payments_rx.scheduler.running', {
    description: 'Requests that were sent, and have not ended.',
    unit: '{request}',
  })
  const refused = meter.createObservableCounter('payments_rx.scheduler.refused', {
    description: 'Requests that the service refused, by the limit that this was put down to.',
    unit: '{request}',
  })
  const observe = (result: BatchObservableResult, state: SchedulerState): void => {
    result.observe(waiting, state.waiting + state.backingOff, common)
    result.observe(running, state.inFlight, common)
    for (const tier of state.tiers) {
      result.observe(refused, tier.refused, { ...common, 'payments_rx.limit': tier.name })
    }
  }
  const callback = (result: BatchObservableResult): void => {
    if (!isObserved()) return
    scheduler.state.pipe(take(1)).subscribe((state) => observe(result, state))
  }
  const all = [waiting, running, refused]
  meter.addBatchObservableCallback(callback, all)
  return () => meter.removeBatchObservableCallback(callback, all)
}

// exports

/** The progress of an export, as far as it is counted. */
interface CountedProgress {
  readonly rows: number
  readonly begun?: { readonly resumed: boolean }
  /** The entry of the manifest, with the last progress. */
  readonly run?: { readonly files: ReadonlyArray<{ readonly bytes: number }> }
}

/** Returns counters of one run: rows and bytes that this start added. */
export const exportCounters = ({ meter, attributes }: Pick<Telemetry, 'meter' | 'attributes'>) => {
  const rowCounter = meter.createCounter('payments_rx.export.rows', {
    description: 'Rows that exports and syncs have written.',
    unit: '{row}',
  })
  const byteCounter = meter.createCounter('payments_rx.export.bytes', {
    description: 'Bytes of the files of exports that have ended.',
    unit: 'By',
  })
  return () => {
    let written: number | undefined
    return ({ rows, begun, run }: CountedProgress): void => {
      written ??= begun?.resumed === true ? rows : 0 // an earlier start counted those before
      if (rows > written) rowCounter.add(rows - written, attributes)
      written = Math.max(written, rows)
      const bytes = (run?.files ?? []).reduce((sum, file) => sum + file.bytes, 0)
      if (bytes > 0) byteCounter.add(bytes, attributes)
    }
  }
}
