/** Positions of lists, as they are kept in a file. */
import * as t from 'io-ts'
import type { Position } from '../../api/Paging.js'
import type { Codec } from '../../codec/Codec.js'
import type { SnapshotPosition } from '../../stream/index.js'
import { isSnapshotPosition } from '../../stream/snapshot/Slice.js'
import { refined } from './refined.js'

/** Of a snapshot: what is left of its time. */
export const KeptSnapshotPosition: Codec<SnapshotPosition> = refined(
  'where a snapshot stands',
  isSnapshotPosition,
)

/** By its number, or by its cursor. */
const listed = t.union([t.type({ page_num: t.number }), t.type({ page: t.string })])

/** Of a list: its next page. */
export const KeptListPosition: Codec<Position> = new t.Type<Position, unknown, unknown>(
  'the next page of a list',
  listed.is,
  listed.validate,
  t.identity,
)
