/** `payments-rx/otel`: OpenTelemetry traces and metrics of a client and its exports. */
export { type InstrumentOptions, instrument } from './instrument.js'
export { instrumentExport } from './instrumentExport.js'
