/** `payments-rx/export`: lists into files. */
export { InvalidOption } from '../options/index.js'
export type { ColumnProblem } from './column/Column.js'
export { DoesNotFit, type Misfit, type Sifted, sift } from './column/Misfit.js'
export type { Numbers } from './column/Numbers.js'
export type { ColumnType } from './column/Shape.js'
export type { Drainable, ExportOptions } from './ExportOptions.js'
export { exportList } from './exportList.js'
export type { Bytes } from './file/ByteFile.js'
export {
  type Destination,
  type DestinationMark,
  isDestinationMark,
  type PartMark,
} from './file/Destination.js'
export { Disturbed } from './file/Disturbed.js'
export type { Files, Handle } from './file/Files.js'
export { NotTheSame } from './file/NotTheSame.js'
export { type FileOptions, openFile } from './file/openFile.js'
export { openStream, type RowStream, type StreamOptions, toStream } from './file/openStream.js'
export { type Naming, partName } from './file/partName.js'
export type { Rotation } from './file/partsOf.js'
export type { FileSummary, Mark, RowFile } from './file/RowFile.js'
export { type ToFileOptions, toFile } from './file/toFile.js'
export { type ToFolderOptions, toFolder } from './file/toFolder.js'
export { Unreadable } from './file/Unreadable.js'
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
export { type FormatOptions, formatOf, type KnownColumn, knownColumns } from './format/formatOf.js'
export { type JsonLinesOptions, jsonLines } from './format/jsonLines.js'
export type { Progress } from './Progress.js'
export { type Account, accountOf } from './run/Account.js'
export type { Begin } from './run/Begin.js'
export type { Bounds } from './run/Bounds.js'
export { CannotRun, type Obstacle } from './run/CannotRun.js'
export { lastComplete, type Manifest, readManifest } from './run/Manifest.js'
export type { ManifestFile, ManifestRun } from './run/ManifestRun.js'
export { type MappedPage, mapRows } from './run/mapRows.js'
export type { Owner, Runner } from './run/Owner.js'
export { isFolder, type Paths, pathsOf } from './run/Paths.js'
export type { Purpose, Wanted } from './run/Purpose.js'
export type { Begun, RunOptions, RunProgress } from './run/RunOptions.js'
export { runExport } from './run/runExport.js'
export type { SmallFiles } from './run/SmallFiles.js'
export { fromList, fromSnapshot, type Resumable, type Source } from './run/Source.js'
export type { Watched } from './run/Tally.js'
export { type Target, type TargetOptions, targetOf } from './run/Target.js'
export { thisProcess } from './run/thisProcess.js'
export { type Checked, type Difference, type VerifyOptions, verify } from './run/verify.js'
export type { Sink } from './Sink.js'
export type { Reject, Sorting } from './sortPage.js'
