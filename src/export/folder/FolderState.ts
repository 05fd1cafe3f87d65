/** The files of a folder, in the state of its destination. */
import * as t from 'io-ts'
import type { Codec } from '../../codec/Codec.js'
import { decodedAs } from '../../store/readRecord.js'
import { exportError } from '../ExportError.js'
import { refined } from '../source/SourcePage.js'
import { INCOMING } from '../storage/Files.js'

/** The random part of a name, and the rest of the name after it. */
const RANDOM = /^(?:rejects-)?[0-9a-f]{12}\.(?:ndjson|ndjson\.zst|parquet)$/

/** Returns true for the key of a file of a run: `_incoming/` or `LIST-`, then twelve digits and an extension. */
export const isPieceKey =
  (prefix: string) =>
  (key: string): boolean =>
    key.startsWith(prefix) && RANDOM.test(key.slice(prefix.length))

const Key: Codec<string> = refined('the name of a file that a sync writes', (u): u is string => {
  if (typeof u !== 'string') return false
  const [list = ''] = /^\w+-/.exec(u) ?? []
  return isPieceKey(INCOMING)(u) || (list !== '' && isPieceKey(list)(u))
})

const file = t.type({
  /** The path of the file, relative to the folder. */
  path: Key,
  rows: t.number,
  bytes: t.number,
  /** SHA-256 of the file, in hex digits. */
  sha256: t.string,
})

const piece = t.readonly(
  t.intersection([
    file,
    t.type({
      /** Times of creation of its first and last row, in µs since 1970. */
      from: t.number,
      to: t.number,
      /** Number of its rows by `status`, excluding those that are gone. */
      statuses: t.record(t.string, t.number),
    }),
    t.partial({
      /** Number of its rows that are marked as gone. */
      gone: t.number,
      /** All times of creation, if there are only a few. */
      times: t.readonlyArray(t.number),
    }),
  ]),
)

/** A file of rows, sorted by time of creation and id. */
export interface Piece extends t.TypeOf<typeof piece> {}

const folderState = t.readonly(
  t.intersection([
    t.type({
      /** File extension of the files in `base`. */
      format: t.string,
      /** Files with the current rows. Each row occurs once, and the files do not overlap in time. */
      base: t.readonlyArray(piece),
      /** Files of a run in progress, in the order in which they were written. */
      incoming: t.readonlyArray(piece),
    }),
    t.partial({
      rejected: file,
    }),
  ]),
)

export interface FolderState extends t.TypeOf<typeof folderState> {}

/** Reads the state of a folder. Throws a `SpecMismatch` if its files have another format. */
export const stateOf = (own: unknown, folder: string, format: string): FolderState => {
  if (own === undefined) return { format, base: [], incoming: [] }
  const state = decodedAs(
    folderState,
    own,
    folder,
    `${folder} does not contain state that this version can read`,
  )
  if (state.format === format) return state
  const why = `${folder} has ${state.format} files, not ${format}: choose that format, or another folder`
  throw exportError('SpecMismatch', why, { path: folder, field: 'format' })
}

export const namesOf = ({ base, incoming, rejected }: FolderState): ReadonlyArray<string> =>
  pathsOf([...base, ...incoming, ...(rejected === undefined ? [] : [rejected])])

export const pathsOf = (pieces: ReadonlyArray<Pick<Piece, 'path'>>): ReadonlyArray<string> =>
  pieces.map(({ path }) => path)
