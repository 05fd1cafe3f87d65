import { context } from '@opentelemetry/api'
import { Subscription } from 'rxjs'
import type { Client } from '../client/createClient.js'
import { attemptContextOf } from '../http/AttemptContext.js'
import { InvalidOption } from '../options/index.js'
import { CallSpans } from './CallSpans.js'
import { requestDuration, schedulerMetrics } from './metrics.js'
import { numberOf } from './numberOf.js'
import { type InstrumentOptions, telemetryOf } from './options.js'

export type { InstrumentOptions } from './options.js'

/**
 * Traces each call of a client, and of all clients that `with` makes of it: a span a call, and in it a client span for
 * each request. Records the durations of requests and the state of the scheduler as metrics. Unsubscribing ends that.
 * A client that is instrumented already, with the same providers, stays so: the subscription is the same one. Throws an
 * `InvalidOption` for an option that cannot work.
 */
export const instrument = (payments: Client, options: InstrumentOptions = {}): Subscription => {
  const attempts = attemptContextOf(payments)
  if (attempts === undefined) throw new InvalidOption('payments', 'a client, made by createClient')
  const given = telemetryOf(options, 'instrument')
  const { instrumented } = attempts
  for (const [before, providers] of instrumented) {
    if (providers.every((provider) => given.providers.includes(provider))) return before
  }
  const { number, isFirst, leave } = numberOf(given.meter, payments.scheduler)
  const client = { 'payments_rx.client': number }
  const spans = new CallSpans(given, client, requestDuration(given))
  const ending = new Subscription(() => {
    instrumented.delete(ending)
    leave()
  })
  instrumented.set(ending, given.providers)
  ending.add(payments.events.subscribe((event) => spans.receive(event)))
  ending.add(attempts.add((call, send) => context.with(spans.contextOf(call), send)))
  const numbered = { ...given, attributes: { ...client, ...given.attributes } }
  ending.add(schedulerMetrics(numbered, payments, isFirst))
  return ending
}
