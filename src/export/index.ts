/** `payments-rx/export`: lists into files. */
export { type ExportOptions, exportList, type Progress, type Reject } from './exportList.js'
export { NotTheSame } from './file/ByteFile.js'
export {
  type Destination,
  type DestinationMark,
  isDestinationMark,
  type PartMark,
} from './file/Destination.js'
export type { Files, Handle } from './file/Files.js'
export { type FileOptions, openFile } from './file/openFile.js'
export type { FileSummary, Mark, RowFile } from './file/RowFile.js'
export { Unsupported } from './format/compress.js'
export type { Compression, Encoder, Format, FormatName, Kept, Misfit } from './format/Format.js'
export { jsonLines } from './format/jsonLines.js'
export { fileOutput, type Output, type OutputFiles, onDemand, streamOutput } from './Output.js'
export { ndjson, type Sink } from './Sink.js'
