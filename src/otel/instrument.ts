import { context } from '@opentelemetry/api'
import { Subscription } from 'rxjs'
import type { Client } from '../client/createClient.js'
import { attemptContextOf } from '../http/AttemptContext.js'
import { InvalidOption } from '../options/index.js'
import { CallSpans } from './CallSpans.js'
import { requestDuration, schedulerMetrics } from './metrics.js'
import { type InstrumentOptions, telemetryOf } from './options.js'

export type { InstrumentOptions } from './options.js'

/**
 * Traces each call of a client, and of all clients that `with` makes of it: a span a call, and in it a client span for
 * each request. Records the durations of requests and the state of the scheduler as metrics. Unsubscribing ends that.
 * Throws an `InvalidOption` for an option that cannot work.
 */
export const instrument = (payments: Client, options: InstrumentOptions = {}): Subscription => {
  const attempts = attemptContextOf(payments)
  if (attempts === undefined) throw new InvalidOption('payments', 'a client, made by createClient')
  const telemetry = telemetryOf(options, 'instrument')
  const record = requestDuration(telemetry)
  const spans = new CallSpans(telemetry, record)
  const ending = new Subscription()
  ending.add(payments.events.subscribe((event) => spans.receive(event)))
  ending.add(attempts.add((call, send) => context.with(spans.contextOf(call), send)))
  ending.add(schedulerMetrics(telemetry, payments))
  return ending
}
