/** `payments-rx/export`: exports lists to files, and syncs them into databases and folders. */

export type { OpenCharge } from '../changes/KnownCharges.js'
export type { Stretch } from '../changes/Ledger.js'
export type { Counted, PagingDepth } from '../changes/proof/Counting.js'
export type { CountedTable } from '../changes/proof/ProofTable.js'
export type { CountDifference, Proof } from '../changes/proof/prove.js'
export type { RowDecoder } from '../codec/Codec.js'
export { InvalidOption } from '../options/index.js'
export { type DiskStoreOptions, diskStore } from '../store/diskStore.js'
export type { FileHandle, FileSystem } from '../store/FileSystem.js'
export type { Store, VersionedText } from '../store/Store.js'
export { openS3Store as s3Store, type S3StoreOptions } from '../store/s3Store.js'
export type { OnWait } from '../store/Waits.js'
export type { ColumnType } from './column/Shape.js'
export type { UnrepresentableRow } from './column/UnrepresentableRow.js'
export { type CopyProof, type ProveCopyOptions, proveCopy } from './copy/proveCopy.js'
export { type ExportError, type ExportErrors, isExportError, isRetryable } from './ExportError.js'
export type { ExportEvent, ExportOptions, ExportProgress, ExportStart } from './ExportOptions.js'
export {
  type CountedSource,
  type ExplainOptions,
  explainExport,
  explainSync,
  type PlannedSource,
  type RunCost,
  type RunPlan,
} from './explain.js'
export { exportTo } from './exportTo.js'
export { openStream, type RowStream, type StreamOptions } from './file/openStream.js'
export { type FileOptions, type FileSummary, openFile, type RowFile } from './file/RowFile.js'
export type {
  Compression,
  Format,
  FormatName,
} from './format/Format.js'
export { type FormatOptions, formatOf, type KnownColumn, knownColumns } from './format/formatOf.js'
export type { CheckedDestination, CheckedRow } from './laws/CheckedDestination.js'
export { type CheckOptions, checkDestination } from './laws/checkDestination.js'
export type { Operation } from './laws/Owner.js'
export { type ReadRowsOptions, readRows } from './read/readRows.js'
export type { ExportSource } from './source/ExportSource.js'
export type { WriteRows } from './source/exportList.js'
export type { Reject } from './source/sortPage.js'
export type { FilePosition } from './storage/Files.js'
export { type FollowOptions, follow } from './sync/follow.js'
export {
  type BatchCalls,
  type ChildSource,
  type ItemOfBatch,
  itemsOfAllBatches,
  type Parent,
} from './sync/itemsOfAllBatches.js'
export type {
  Sweep,
  SyncEvent,
  SyncOptions,
  SyncProgress,
  SyncStart,
  SyncWait,
  TimedSource,
} from './sync/SyncOptions.js'
export { sync } from './sync/sync.js'
export type {
  ChildCount,
  ChildRows,
  CountedRows,
  Destination,
  DestinationFile,
  KeyLog,
  ListedFiles,
  Ownership,
  PlacedRow,
  Prepared,
  RowSlice,
  RowVersion,
} from './transfer/Destination.js'
export type { ExportSpec } from './transfer/ExportSpec.js'
export type {
  Manifest,
  ManifestFile,
  ManifestRun,
} from './transfer/Manifest.js'
export type { Rereads, SyncDifference, SyncProof } from './transfer/TransferEvent.js'
export type { TimeBounds } from './transfer/TransferState.js'
export { type Difference, type FileCheck, type VerifyOptions, verify } from './verify.js'
