/** The contents of a folder, kept in one text with the checkpoint of the run that writes it. */
import * as t from 'io-ts'
import type { Codec } from '../../codec/Codec.js'
import { hasSum, readRecord, showSummed } from '../../store/readRecord.js'
import type { Store } from '../../store/Store.js'
import { exportError } from '../ExportError.js'
import { refined } from '../SourcePage.js'

// names

/** Where the files of a run under way are. */
export const INCOMING = 'incoming/'

/** The part of a name that is drawn at random, and what follows it. */
const RANDOM = /^[0-9a-f]{12}\.(?:ndjson\.zst|parquet)$/

/** Returns whether a key is that of a file that a run writes: `incoming/` or `LIST-`, twelve digits, and an extension. */
export const isPieceKey =
  (prefix: string) =>
  (key: string): boolean =>
    key.startsWith(prefix) && RANDOM.test(key.slice(prefix.length))

// model

const Key: Codec<string> = refined('the name of a file that a sync writes', (u): u is string => {
  if (typeof u !== 'string') return false
  const [list = ''] = /^\w+-/.exec(u) ?? []
  return isPieceKey(INCOMING)(u) || (list !== '' && isPieceKey(list)(u))
})

const Piece = t.readonly(
  t.intersection([
    t.type({
      /** The file, seen from the folder. */
      path: Key,
      rows: t.number,
      /** Size of the file. */
      bytes: t.number,
      /** SHA-256 of the file, in hex. */
      sha256: t.string,
      /** Times of creation of its first and last row, in µs since 1970. */
      from: t.number,
      to: t.number,
      /** Its rows by `status`. */
      statuses: t.record(t.string, t.number),
    }),
    t.partial({
      /** All times of creation, where they are few. */
      times: t.readonlyArray(t.number),
    }),
  ]),
)

/** A file of rows, sorted by time of creation and id. */
export interface Piece extends t.TypeOf<typeof Piece> {}

const VERSION = 2

const KIND = 'sync'

const record = t.type({
  version: t.literal(VERSION),
  kind: t.literal(KIND),
  /** Name of the format of `base`. */
  format: t.string,
  /** Files with the current rows, each once. Their times do not overlap. */
  base: t.readonlyArray(Piece),
  /** Files of a run under way, in the order in which they were written. */
  incoming: t.readonlyArray(Piece),
  /** Text of the store: checkpoint and lease. */
  text: t.string,
})

/** The files of a folder. */
export interface FolderState
  extends Pick<t.TypeOf<typeof record>, 'format' | 'base' | 'incoming'> {}

const newFolderState = (format: string): FolderState => ({ format, base: [], incoming: [] })

const readFolderRecord = readRecord({
  name: 'checkpoint',
  version: VERSION,
  kind: KIND,
  codec: record,
  isIntact: hasSum,
})

// the store

/** A `Store` whose texts carry the files of the folder along. */
export interface FolderStore extends Store {
  /** Returns the files as of the last `read` or change. */
  readonly state: () => FolderState
  /** Replaces a text, and the files, in one step. */
  readonly replaceWith: (
    state: FolderState,
    ...change: Parameters<Store['replace']>
  ) => Promise<string | undefined>
}

/** Throws a `SpecMismatch` where the folder has files of another format. */
export const folderStore = (
  store: Store,
  format: string,
  nameOf: (key: string) => string,
): FolderStore => {
  let current = newFolderState(format)
  const keyOf = (name: string): string => `${name}.json`

  const read: Store['read'] = async (name) => {
    const found = await store.read(keyOf(name))
    if (found === undefined) return undefined
    const record = readFolderRecord(nameOf(keyOf(name)))(found.text)
    const { base, incoming, text } = record
    if (record.format !== format) {
      const why = `${nameOf('')} has files of ${record.format}, not of ${format}: choose that format, or another folder`
      throw exportError('SpecMismatch', why, { path: nameOf(''), field: 'format' })
    }
    current = { format, base, incoming }
    return { text, version: found.version }
  }
  const replaceWith: FolderStore['replaceWith'] = async (state, name, text, version) => {
    const content = showSummed({ version: VERSION, kind: KIND, ...state, text })
    const next = await store.replace(keyOf(name), content, version)
    if (next !== undefined) current = state
    return next
  }
  return {
    state: () => current,
    read,
    replaceWith,
    replace: (name, text, version) => replaceWith(current, name, text, version),
    remove: (name, version) => store.remove(keyOf(name), version),
  }
}
