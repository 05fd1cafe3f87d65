/** `payments-rx/export`: lists into files. */

export type { OpenCharge } from '../changes/KnownCharges.js'
export type { Counted } from '../changes/proof/Counting.js'
export type { CountedTable } from '../changes/proof/ProofTable.js'
export type { CountDifference, Proof } from '../changes/proof/prove.js'
export type { Decodes } from '../codec/Codec.js'
export { InvalidOption } from '../options/index.js'
export { type DiskStoreOptions, diskStore } from '../store/diskStore.js'
export type { FileHandle, FileSystem } from '../store/FileSystem.js'
export type { Store, VersionedText } from '../store/Store.js'
export { openS3Store as s3Store, type S3StoreOptions } from '../store/s3Store.js'
export { type CheckedDestination, type CheckOptions, checkDestination } from './checkDestination.js'
export type { ColumnType } from './column/Shape.js'
export type { UnrepresentableRow } from './column/UnrepresentableRow.js'
export { type CopyProof, type ProveCopyOptions, proveCopy } from './copy/proveCopy.js'
export { type ExportError, type ExportErrors, isExportError, isRetryable } from './ExportError.js'
export type { ExportBegun, ExportEvent, ExportOptions, ExportProgress } from './ExportOptions.js'
export { exportTo } from './exportTo.js'
export { openStream, type RowStream, type StreamOptions } from './file/openStream.js'
export { type FileOptions, type FileSummary, openFile, type RowFile } from './file/RowFile.js'
export {
  type Compression,
  compressions,
  type Format,
  type FormatName,
  formatNames,
} from './format/Format.js'
export { type FormatOptions, formatOf, type KnownColumn, knownColumns } from './format/formatOf.js'
export { type ReadRowsOptions, readRows } from './read/readRows.js'
export { type AssembleOptions, assemble } from './slices/assemble.js'
export { type ExportSliceOptions, exportSlice, type SliceClient } from './slices/exportSlice.js'
export { type PlanSlicesOptions, planSlices, type SliceSource } from './slices/planSlices.js'
export type { PlannedSlice, SlicePlan } from './slices/SlicePlan.js'
export type { ExportSource } from './source/ExportSource.js'
export type { TakeRows } from './source/exportList.js'
export type { Reject } from './source/sortPage.js'
export type { Mark } from './storage/Files.js'
export { type FollowOptions, follow } from './sync/follow.js'
export {
  type BatchCalls,
  type ChildSource,
  type ItemOfBatch,
  itemsOfAllBatches,
  type Parent,
} from './sync/itemsOfAllBatches.js'
export type { SyncEvent, SyncOptions, SyncProgress, TimedSource } from './sync/SyncOptions.js'
export { sync } from './sync/sync.js'
export type {
  CountedRows,
  Destination,
  DestinationFile,
  KeyLog,
  ListedFiles,
  Prepared,
  RowSlice,
  RowVersion,
  Taken,
} from './transfer/Destination.js'
export type { ExportSpec } from './transfer/ExportSpec.js'
export {
  type Manifest,
  type ManifestFile,
  type ManifestRun,
  readManifest,
} from './transfer/Manifest.js'
export type { Since, SyncDifference, SyncProof } from './transfer/TransferEvent.js'
export type { TimeBounds } from './transfer/TransferState.js'
export { type Difference, type FileCheck, type VerifyOptions, verify } from './verify.js'
