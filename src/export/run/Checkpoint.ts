/** How far an export is, as it is kept in a file: all that it takes to go on after a crash. */
import { createHash } from 'node:crypto'
import * as t from 'io-ts'
import type { Codec } from '../../codec/Codec.js'
import { type DestinationMark, isDestinationMark } from '../file/Destination.js'
import { isMark, type Mark } from '../file/RowFile.js'
import { Bounds } from './Bounds.js'
import { Counts } from './Counts.js'
import { KeptFact } from './KeptFact.js'
import type { Marks } from './Marks.js'
import { Purpose } from './Purpose.js'
import { readKept } from './readKept.js'
import { refined } from './refined.js'

// model

/** Of the shape of the file. One of another version is not touched: 1 had no hashes, 2 not the keys of all rows. */
export const VERSION = 3

const OutputMark: Codec<DestinationMark> = refined('a mark of the output', isDestinationMark)

const FileMark: Codec<Mark> = refined('a mark of a file', isMark)

const whole = t.type({
  version: t.literal(VERSION),
  /** What is exported, and how it is written. */
  purpose: Purpose,
  /** When the first run of it began, as ISO 8601. */
  started: t.string,
  counts: Counts,
  output: OutputMark,
  /** What came that no codec names. */
  drift: t.readonlyArray(KeptFact),
})

const common = t.intersection([
  whole,
  t.partial({
    rejects: FileMark,
    /** Of the keys of the rows, where one can come in two pages. */
    keys: FileMark,
    /** From when to when rows were created. */
    bounds: Bounds,
  }),
])

/** What a run is resumed by. */
export interface Checkpoint<Q> extends t.TypeOf<typeof common> {
  /** What is left to read; left out when that is nothing. */
  readonly position?: Q
}

// combinators

/**
 * Up to where its files are durable. Once all was read, nobody asks for keys any more, and they may be
 * gone.
 */
export const marksOf = <Q>(checkpoint: Checkpoint<Q> | undefined): Marks | undefined => {
  if (checkpoint === undefined || checkpoint.position !== undefined) return checkpoint
  const { keys: _, ...marks } = checkpoint
  return marks
}

/** Reads what was kept at `path`; throws a `CannotRun` for what is no checkpoint of this version. */
export const readCheckpoint = <Q>(
  position: Codec<Q>,
): ((path: string) => (text: string) => Checkpoint<Q>) =>
  readKept({
    name: 'checkpoint',
    version: VERSION,
    codec: t.intersection([common, t.partial({ position })]),
    isIntact: ({ sum, ...content }: Summed) => sum === sumOf(content),
  })

/** As `readCheckpoint` reads it; one that it has read may be shown again. */
export const showCheckpoint = <Q>({ sum: _, ...content }: Checkpoint<Q> & Summed): string =>
  `${JSON.stringify({ ...content, sum: sumOf(content) })}\n`

/** SHA-256 of all that is beside it in the file, in hex. */
const sumOf = (content: object): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex')

interface Summed {
  readonly sum?: unknown
}
