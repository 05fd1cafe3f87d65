/** The metrics: durations of requests, the state of the scheduler, and the output of exports. */
import {
  type Attributes,
  type BatchObservableResult,
  type Meter,
  ValueType,
} from '@opentelemetry/api'
import { take } from 'rxjs'
import type { Client } from '../client/createClient.js'
import type { IO } from '../fp.js'
import type { SchedulerState } from '../scheduler/index.js'
import { serverAttributes } from './attributes.js'
import { numberOf } from './numberOf.js'
import { perMeter, type Telemetry } from './options.js'

// requests

/** Records the duration of a request, in ms, with its attributes. */
export type RecordDuration = (attributes: Attributes, took: number) => void

/** Boundaries of the histogram in seconds, as the semantic conventions advise. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** Creates the histogram `http.client.request.duration`. */
const requestDuration = (meter: Meter): RecordDuration => {
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
 * Observes the state of a client's scheduler whenever metrics are collected, unless the scheduler is shared and already
 * observed for another client. Returns a function that stops this.
 */
const schedulerMetrics = (
  meter: Meter,
  attributes: Attributes,
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
    description: 'Requests in flight.',
    unit: '{request}',
  })
  const refused = meter.createObservableCounter('payments_rx.scheduler.refused', {
    description: 'Requests that the service refused, by the limit that caused the refusal.',
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

// clients

/** The metrics of a client, as registered with one meter. */
export interface ClientMetrics {
  /** The number of the client among those of the meter. */
  readonly number: number
  readonly record: RecordDuration
  /** Stops observing the scheduler, and frees the number. */
  readonly end: IO<void>
}

/**
 * Returns the metrics of a client for the current meter. With another meter, the client keeps its number if that number is free
 * there.
 */
export const clientMetrics = (
  telemetry: Pick<Telemetry, 'meterProvider' | 'attributes'>,
  client: Pick<Client, 'charges' | 'scheduler'>,
): IO<ClientMetrics> =>
  perMeter(telemetry, (meter, before) => {
    before?.end()
    const { number, isFirst, leave } = numberOf(meter, client.scheduler, before?.number)
    const attributes = { 'payments_rx.client': number, ...telemetry.attributes }
    const stop = schedulerMetrics(meter, attributes, client, isFirst)
    const end = (): void => {
      stop()
      leave()
    }
    return { number, record: requestDuration(meter), end }
  })

// exports

interface CountedProgress {
  readonly rows: number
  readonly started?: { readonly resumed: boolean }
  /** The entry of the manifest. Present in the last progress. */
  readonly run?: { readonly files: ReadonlyArray<{ readonly bytes: number }> }
}

/** Returns counters of the rows and bytes that this start of a run added. */
export const exportCounters = (telemetry: Pick<Telemetry, 'meterProvider' | 'attributes'>) => {
  const { attributes } = telemetry
  const counters = perMeter(telemetry, (meter) => ({
    rowCounter: meter.createCounter('payments_rx.export.rows', {
      description: 'Rows written by exports and syncs.',
      unit: '{row}',
    }),
    byteCounter: meter.createCounter('payments_rx.export.bytes', {
      description: 'Bytes in the files of finished exports.',
      unit: 'By',
    }),
  }))
  return () => {
    let written: number | undefined
    return ({ rows, started, run }: CountedProgress): void => {
      const { rowCounter, byteCounter } = counters()
      written ??= started?.resumed === true ? rows : 0 // an earlier start has counted the rows before these
      if (rows > written) rowCounter.add(rows - written, attributes)
      written = Math.max(written, rows)
      const bytes = (run?.files ?? []).reduce((sum, file) => sum + file.bytes, 0)
      if (bytes > 0) byteCounter.add(bytes, attributes)
    }
  }
}
