/** `payments-rx/export`: lists into files. */
export { type ExportOptions, exportList, type Progress, type Reject } from './exportList.js'
export { type Files, fileOutput, type Output, onDemand, streamOutput } from './Output.js'
export { ndjson, type Sink } from './Sink.js'
