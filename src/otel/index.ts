/** `payments-rx/otel`: traces and metrics of a client and of its exports, by OpenTelemetry. */
export { type InstrumentOptions, instrument } from './instrument.js'
export { instrumentExport } from './instrumentExport.js'
