import {
  type Attributes,
  type Meter,
  type MeterProvider,
  metrics,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { checkOptions, is, type OptionsTable } from '../options/index.js'

/** Where traces and metrics go. */
export interface InstrumentOptions {
  /** Default: the global one. */
  readonly tracerProvider?: TracerProvider | undefined
  /** Default: the global one. */
  readonly meterProvider?: MeterProvider | undefined
  /** Attributes of all spans and metrics, such as the name of an account among several. Default: none. */
  readonly attributes?: Attributes | undefined
}

const rules: OptionsTable<InstrumentOptions> = {
  tracerProvider: is.withMethods('a tracer provider of OpenTelemetry', 'getTracer'),
  meterProvider: is.withMethods('a meter provider of OpenTelemetry', 'getMeter'),
  attributes: is.object('attributes by their names'),
}

/** The name of the instrumentation scope. */
const SCOPE = 'payments-rx'

export interface Telemetry {
  readonly tracer: Tracer
  readonly meter: Meter
  readonly attributes: Attributes
  /** The providers of both. */
  readonly providers: ReadonlyArray<object>
}

/** Throws an `InvalidOption`. */
export const telemetryOf = (options: InstrumentOptions, name: string): Telemetry => {
  const { tracerProvider, meterProvider, attributes } = checkOptions(options, rules, {
    context: `${name}: `,
  })
  return {
    tracer: (tracerProvider ?? trace).getTracer(SCOPE),
    meter: (meterProvider ?? metrics).getMeter(SCOPE),
    attributes: attributes ?? {},
    providers: [tracerProvider ?? trace, meterProvider ?? metrics],
  }
}
