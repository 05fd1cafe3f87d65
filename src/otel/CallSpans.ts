/** The spans of calls, and of the requests of each call. */
import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { type IO, withoutUndefined } from '../fp.js'
import type { ClientEvent } from '../http/ClientEvent.js'
import { callNames, requestAttributes, resultAttributes } from './attributes.js'
import type { ClientMetrics } from './metrics.js'
import type { Telemetry } from './options.js'

interface OpenCall {
  readonly span: Span
  /** The context of its requests: the context of its subscriber, together with its span. */
  readonly context: Context
  readonly attributes: Attributes
  request: Span | undefined
}

export class CallSpans {
  readonly #telemetry: Pick<Telemetry, 'tracer' | 'attributes'>
  readonly #metrics: IO<ClientMetrics>
  readonly #names = callNames()
  readonly #open = new Map<number, OpenCall>()

  /** `metrics` is called for each event. The first event after the start of the SDK registers the metrics. */
  constructor(telemetry: Pick<Telemetry, 'tracer' | 'attributes'>, metrics: IO<ClientMetrics>) {
    this.#telemetry = telemetry
    this.#metrics = metrics
  }

  /** Returns the context in which a request of a call is sent. It has the span of the call. */
  contextOf(call: number): Context {
    const { context: ofCall = context.active(), request } = this.#open.get(call) ?? {}
    return request === undefined ? ofCall : trace.setSpan(ofCall, request)
  }

  receive(event: ClientEvent): void {
    const { number, record } = this.#metrics()
    if (event._tag === 'Started') {
      this.#start(event, number)
      return
    }
    if (!('call' in event) || event.call === undefined) return
    const call = this.#open.get(event.call)
    if (call === undefined) return // the call started before the client was instrumented
    const { span } = call
    switch (event._tag) {
      case 'Sent':
        span.addEvent('payments_rx.sent', {
          'payments_rx.attempt': event.attempt,
          'payments_rx.wait.ms': event.waited,
        })
        call.request = this.#startRequest(call, event.attempt)
        return
      case 'Answered':
      case 'Unanswered': {
        const result = resultAttributes(event)
        record({ ...call.attributes, ...result }, event.took)
        endRequest(call, result)
        return
      }
      case 'Throttled':
        span.addEvent('payments_rx.refused', {
          'payments_rx.attempt': event.attempt,
          'payments_rx.pause.ms': event.pause,
        })
        return
      case 'Retrying':
        span.addEvent('payments_rx.retry', {
          'payments_rx.attempt': event.attempt,
          'payments_rx.pause.ms': event.pause,
          'error.type': event.failure._tag,
        })
        return
      case 'Recovered':
        span.addEvent('payments_rx.recovered')
        return
      case 'Ended':
        this.#open.delete(event.call)
        endRequest(call, { 'error.type': 'cancelled' })
        endCall(span, event)
        return
    }
  }

  #start(event: Extract<ClientEvent, { readonly _tag: 'Started' }>, number: number): void {
    const { tracer, attributes: own } = this.#telemetry
    const { call, endpoint } = event
    const parent = context.active()
    const name = this.#names.get(endpoint) ?? endpoint
    const span = tracer.startSpan(
      name,
      {
        kind: SpanKind.INTERNAL,
        attributes: { 'payments_rx.client': number, ...own, 'payments_rx.endpoint': endpoint },
      },
      parent,
    )
    const attributes = { ...own, ...requestAttributes(event) }
    this.#open.set(call, {
      span,
      context: trace.setSpan(parent, span),
      attributes,
      request: undefined,
    })
  }

  #startRequest({ context, attributes }: OpenCall, attempt: number): Span {
    const name = `${attributes['http.request.method']} ${attributes['url.template']}`
    const resent = withoutUndefined({
      'http.request.resend_count': attempt > 1 ? attempt - 1 : undefined,
    })
    return this.#telemetry.tracer.startSpan(
      name,
      { kind: SpanKind.CLIENT, attributes: { ...attributes, ...resent } },
      context,
    )
  }
}

/** Ends the span of the request in flight, if there is one. */
const endRequest = (call: OpenCall, result: Attributes): void => {
  const { request } = call
  if (request === undefined) return
  call.request = undefined
  request.setAttributes(result)
  const error = result['error.type']
  if (error !== undefined && error !== 'cancelled') {
    request.setStatus({ code: SpanStatusCode.ERROR })
  }
  request.end()
}

const endCall = (
  span: Span,
  { attempts, outcome, failure }: Extract<ClientEvent, { readonly _tag: 'Ended' }>,
): void => {
  span.setAttributes({ 'payments_rx.attempts': attempts, 'payments_rx.outcome': outcome })
  if (outcome === 'failed') {
    const { _tag = 'error', message, status, code, traceId } = failure ?? {}
    span.setAttributes({
      'error.type': _tag,
      ...withoutUndefined({
        'http.response.status_code': status,
        'payments_rx.error.code': code,
        'payments_rx.trace_id': traceId,
      }),
    })
    span.setStatus({ code: SpanStatusCode.ERROR, ...withoutUndefined({ message }) })
  }
  span.end()
}
