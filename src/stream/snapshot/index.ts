export type { SnapshotCut } from './readAhead.js'
export { type Slice, type SnapshotPage, type SnapshotPosition, wholeOf } from './Slice.js'
export type { Span } from './Span.js'
export { type SnapshotOptions, snapshot } from './snapshot.js'
