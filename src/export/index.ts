/** `payments-rx/export`: lists into files. */
export type { ColumnProblem } from './column/Column.js'
export { DoesNotFit, type Misfit, type Sifted, sift } from './column/Misfit.js'
export type { Numbers } from './column/money.js'
export type { ColumnType } from './column/Shape.js'
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
export { openStream, type RowStream, type StreamOptions, toStream } from './file/openStream.js'
export { type Naming, partName } from './file/partName.js'
export type { Rotation } from './file/partsOf.js'
export type { FileSummary, Mark, RowFile } from './file/RowFile.js'
export { type ToFileOptions, toFile } from './file/toFile.js'
export { type ToFolderOptions, toFolder } from './file/toFolder.js'
export { Unsupported } from './format/compress.js'
export {
  type Compression,
  compressions,
  type Encoder,
  type Format,
  type FormatName,
  formatNames,
  type Kept,
} from './format/Format.js'
export { type FormatOptions, formatOf, knownColumns } from './format/formatOf.js'
export { jsonLines } from './format/jsonLines.js'
export { fileOutput, type Output, type OutputFiles, onDemand, streamOutput } from './Output.js'
export { ndjson, type Sink } from './Sink.js'
