/** Where lists stand, as they are kept in a file. */
import * as t from 'io-ts'
import type { Position } from '../../api/Paging.js'
import type { Codec } from '../../codec/Codec.js'
import type { SnapshotPosition } from '../../stream/index.js'

/** In ms since 1970. */
const time = t.number
/** From `from` on, up to and without `to`. */
const span = t.readonly(t.type({ from: time, to: time }))

/** A slice of time, and what of it is still to be read. */
const slice = t.readonly(
  t.type({ from: time, to: time, number: t.number, rows: t.number, left: span }),
)

/** Of a snapshot: what is left of its time. */
export const SnapshotStanding: Codec<SnapshotPosition> = t.readonly(
  t.type({ from: time, to: time, slices: t.readonlyArray(slice), cut: t.number }),
)

/** By its number, or by its cursor. */
const listed = t.union([t.type({ page_num: t.number }), t.type({ page: t.string })])

/** Of a list: its next page. */
export const ListStanding: Codec<Position> = new t.Type<Position, unknown, unknown>(
  'the next page of a list',
  listed.is,
  listed.validate,
  t.identity,
)
