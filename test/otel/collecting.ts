/** The SDK of OpenTelemetry in memory: what was traced, as trees, and what was measured. */
import { context, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import {
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { afterAll, beforeAll } from 'vitest'

// model

/** A span, with the spans in it, in the order in which they were started. */
export interface Tree {
  readonly name: string
  readonly kind: string
  readonly scope: string
  readonly status: string
  readonly attributes: ReadableSpan['attributes']
  readonly events: ReadonlyArray<string>
  readonly children: ReadonlyArray<Tree>
}

// constructors

/** Async contexts for the tests of a file: the context manager is that of the process. */
export const withContexts = (): void => {
  const manager = new AsyncLocalStorageContextManager()
  beforeAll(() => {
    context.setGlobalContextManager(manager.enable())
  })
  afterAll(() => context.disable())
}

export const collecting = () => {
  const spans = new InMemorySpanExporter()
  const tracerProvider = new TracerProvider({
    spanProcessors: [new SimpleSpanProcessor({ exporter: spans })],
  })
  const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({
    exporter: metrics,
    exportIntervalMillis: 2 ** 30,
  })
  const meterProvider = new MeterProvider({ readers: [reader] })
  return {
    providers: { tracerProvider, meterProvider },
    tracer: tracerProvider.getTracer('test'),
    spans: (): ReadonlyArray<ReadableSpan> => spans.getFinishedSpans(),
    trees: (): ReadonlyArray<Tree> => treesOf(spans.getFinishedSpans()),
    /** Collects all metrics now, by name. */
    measured: async () => {
      metrics.reset()
      await reader.forceFlush()
      const all = metrics.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics)
      return new Map(
        all.flatMap((scope) =>
          scope.metrics.map((metric) => [metric.descriptor.name, metric] as const),
        ),
      )
    },
    close: async () => {
      await meterProvider.shutdown()
      await tracerProvider.shutdown()
    },
  }
}

const treesOf = (spans: ReadonlyArray<ReadableSpan>, parent?: string): ReadonlyArray<Tree> => {
  const ids = new Set(spans.map((span) => span.spanContext().spanId))
  return spans
    .filter(({ parentSpanContext }) => {
      const id = parentSpanContext?.spanId
      return parent === undefined ? id === undefined || !ids.has(id) : id === parent
    })
    .sort((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1])
    .map((span) => ({
      name: span.name,
      kind: SpanKind[span.kind] ?? '',
      scope: span.instrumentationScope.name,
      status: SpanStatusCode[span.status.code] ?? '',
      attributes: span.attributes,
      events: span.events.map(({ name, attributes = {} }) =>
        [name, ...Object.values(attributes)].join(' '),
      ),
      children: treesOf(spans, span.spanContext().spanId),
    }))
}

/** The names of a tree, indented. */
export const outline = (trees: ReadonlyArray<Tree>, indent = ''): string =>
  trees
    .map(({ name, children }) => `${indent}${name}\n${outline(children, `${indent}  `)}`)
    .join('')
