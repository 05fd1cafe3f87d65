import { context } from '@opentelemetry/api'
import { Subscription } from 'rxjs'
import type { Client } from '../client/createClient.js'
import { attemptContextOf } from '../http/AttemptContext.js'
import { InvalidOption } from '../options/index.js'
import { CallSpans } from './CallSpans.js'
import { clientMetrics } from './metrics.js'
import { type InstrumentOptions, telemetryOf } from './options.js'

export type { InstrumentOptions } from './options.js'

/**
 * Traces the calls of a client and of all clients that its `with` returns: one span per call, with a client span for each
 * request. Records request durations and the state of the scheduler as metrics. The OpenTelemetry SDK may start before or after:
 * a global meter provider that is set later is used from the next event on. Unsubscribe to stop. If the client is already
 * instrumented with the same providers, returns the same subscription. Throws an `InvalidOption` for an invalid option.
 */
export const instrument = (payments: Client, options: InstrumentOptions = {}): Subscription => {
  const attempts = attemptContextOf(payments)
  if (attempts === undefined) throw new InvalidOption('payments', 'a client from createClient')
  const given = telemetryOf(options, 'instrument')
  const { instrumented } = attempts
  for (const [before, providers] of instrumented) {
    if (providers.every((provider) => given.providers.includes(provider))) return before
  }
  const metrics = clientMetrics(given, payments)
  metrics()
  const spans = new CallSpans(given, metrics)
  const ending = new Subscription(() => {
    instrumented.delete(ending)
    metrics().end()
  })
  instrumented.set(ending, given.providers)
  ending.add(payments.events.subscribe((event) => spans.receive(event)))
  ending.add(attempts.add((call, send) => context.with(spans.contextOf(call), send)))
  return ending
}
