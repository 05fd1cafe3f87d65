export { type Slice, type SnapshotPage, type SnapshotPosition, wholeOf } from './Slice.js'
export type { SnapshotCut, SnapshotOptions } from './SnapshotOptions.js'
export type { Span } from './Span.js'
export { snapshot } from './snapshot.js'
