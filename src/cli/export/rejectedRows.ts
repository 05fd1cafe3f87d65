/** Rows that cannot be written, by id and reason; whole only in a private file. */
import { type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { type Observable, Subject } from 'rxjs'
import { jsonOf } from '../../export/column/json.js'
import type { Reject } from '../../export/index.js'
import { destinationKind } from '../../export/sync/SyncOptions.js'
import { rowId } from '../../http/answer/readAnswer.js'
import { isCardNumber } from '../../http/secrets.js'
import { codeOf } from '../../store/FileSystem.js'

/** Rows that an export or a sync rejected. */
export interface RejectedRows {
  readonly take: (rows: ReadonlyArray<Reject>) => Promise<void>
  /** A line for each row, with its id and why. */
  readonly notes: Observable<string>
  readonly close: () => Promise<void>
}

/** Only its owner may read the rows. */
const PRIVATE = 0o600

/** Longer ids are cut. */
const MAX_ID_LENGTH = 64

/** Keeps rows in a new file at `path`, made for the first of them; without a path, only says which they are. */
export const rejectedRows = (path?: string): RejectedRows => {
  const notes = new Subject<string>()
  const json = jsonOf('exact')
  let file: Promise<FileHandle | undefined> | undefined
  const opened = async (): Promise<FileHandle | undefined> => {
    if (path === undefined) return undefined
    try {
      return await newFile(path)
    } catch (error) {
      notes.next(`${path} cannot be written (${codeOf(error)}): rejected rows are not kept`)
      return undefined
    }
  }
  return {
    notes,
    take: async (rows) => {
      file ??= opened()
      const lines = rows.map((row) => `${json(row)}\n`).join('')
      await (await file)?.appendFile(lines)
      for (const { row, index, reason } of rows) {
        notes.next(`rejected: ${shownId(row) ?? `row ${index} of a page`}: ${reason}`)
      }
    },
    close: async () => {
      notes.complete()
      await (await file)?.close()
    },
  }
}

/** Replaces the file of an earlier run; a link, a folder or a device is left alone (`EEXIST`). */
const newFile = async (path: string): Promise<FileHandle> => {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile()) await rm(path)
  return open(path, 'wx', PRIVATE)
}

const shownId = (row: unknown): string | undefined => {
  const id = rowId(row)
  return id === undefined || id === '' || isCardNumber(id) ? undefined : id.slice(0, MAX_ID_LENGTH)
}

/** Names the place where a sync keeps rejected rows. */
export const rejectsIn = (to: string, table: string): string => {
  const kind = destinationKind(to)
  return kind === 'sqlite' || kind === 'postgres'
    ? `the table ${table}_rejects`
    : `"rejected" in ${to}_manifest.json`
}
