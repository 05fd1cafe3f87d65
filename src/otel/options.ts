import {
  type Attributes,
  type Meter,
  type MeterProvider,
  metrics,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import type { IO } from '../fp.js'
import { checkOptions, is, type OptionsTable } from '../options/index.js'

/** Where to send traces and metrics. */
export interface InstrumentOptions {
  /** The provider of tracers. Default: the global one. */
  readonly tracerProvider?: TracerProvider | undefined
  /** The provider of meters. Default: the global one. */
  readonly meterProvider?: MeterProvider | undefined
  /** Attributes added to all spans and metrics, such as an account name. Default: none. */
  readonly attributes?: Attributes | undefined
}

const rules: OptionsTable<InstrumentOptions> = {
  tracerProvider: is.withMethods('an OpenTelemetry tracer provider', 'getTracer'),
  meterProvider: is.withMethods('an OpenTelemetry meter provider', 'getMeter'),
  attributes: is.object('attributes by name'),
}

const SCOPE = 'payments-rx'

export interface Telemetry {
  readonly tracer: Tracer
  /** Returns the current provider of meters. The global one is set when the SDK starts, which may happen later. */
  readonly meterProvider: IO<MeterProvider>
  readonly attributes: Attributes
  /** Identifies the instrumentation by its two providers, or by the API if they are the global ones. */
  readonly providers: ReadonlyArray<object>
}

/** Throws an `InvalidOption` for an invalid option. */
export const telemetryOf = (options: InstrumentOptions, name: string): Telemetry => {
  const { tracerProvider, meterProvider, attributes } = checkOptions(options, rules, {
    context: `${name}: `,
  })
  return {
    tracer: (tracerProvider ?? trace).getTracer(SCOPE),
    meterProvider: () => meterProvider ?? metrics.getMeterProvider(),
    attributes: attributes ?? {},
    providers: [tracerProvider ?? trace, meterProvider ?? metrics],
  }
}

/**
 * Returns the value that `make` returns for the current meter. It is created once per provider, from the previous value.
 * Tracers follow the global provider automatically, but a meter created before the start of the SDK never records anything.
 */
export const perMeter = <A>(
  { meterProvider }: Pick<Telemetry, 'meterProvider'>,
  make: (meter: Meter, before: A | undefined) => A,
): IO<A> => {
  let made: { readonly provider: MeterProvider; readonly value: A } | undefined
  return () => {
    const provider = meterProvider()
    if (made?.provider !== provider) {
      made = { provider, value: make(provider.getMeter(SCOPE), made?.value) }
    }
    return made.value
  }
}
