/** Rows that cannot be written. They are shown by id and reason, and stored in full only in a private file. */
import { type FileHandle, lstat, open, rm } from 'node:fs/promises'
import { type Observable, Subject } from 'rxjs'
import { stringifyExact } from '../../decode/index.js'
import type { Reject } from '../../export/index.js'
import type { MergedLocation } from '../../export/location/Location.js'
import { rowId } from '../../http/answer/readAnswer.js'
import { isCardNumber } from '../../http/secrets.js'
import { codeOf } from '../../store/FileSystem.js'

export interface RejectedRows {
  readonly take: (rows: ReadonlyArray<Reject>) => Promise<void>
  /** One line per row, with its id and the reason. */
  readonly notes: Observable<string>
  readonly close: () => Promise<void>
}

/** Permissions: only the owner may read the rows. */
const PRIVATE = 0o600

/** Maximum length of an id that is shown; longer ids are truncated. */
const MAX_ID_LENGTH = 64

/** Stores rows in a new file at `path`, which is created with the first row. Without a path, only reports the rows. */
export const rejectedRows = (path?: string): RejectedRows => {
  const notes = new Subject<string>()
  let file: Promise<FileHandle | undefined> | undefined
  const opened = async (): Promise<FileHandle | undefined> => {
    if (path === undefined) return undefined
    try {
      return await newFile(path)
    } catch (error) {
      notes.next(`cannot write ${path} (${codeOf(error)}): rejected rows are not kept`)
      return undefined
    }
  }
  return {
    notes,
    take: async (rows) => {
      file ??= opened()
      const lines = rows.map((row) => `${stringifyExact(row)}\n`).join('')
      await (await file)?.appendFile(lines)
      for (const { row, index, reason } of rows) {
        notes.next(`rejected: ${shownId(row) ?? `row ${index} of its page`}: ${reason}`)
      }
    },
    close: async () => {
      notes.complete()
      await (await file)?.close()
    },
  }
}

/** Creates the file, replacing that of an earlier run. Fails with `EEXIST` for a link, a folder or a device. */
const newFile = async (path: string): Promise<FileHandle> => {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile()) await rm(path)
  return open(path, 'wx', PRIVATE)
}

const shownId = (row: unknown): string | undefined => {
  const id = rowId(row)
  return id === undefined || id === '' || isCardNumber(id) ? undefined : id.slice(0, MAX_ID_LENGTH)
}

/** Returns the place where a sync stores rejected rows. */
export const rejectsIn = ({ kind, name }: MergedLocation, table: string): string =>
  kind === 'sqlite' || kind === 'postgres'
    ? `the table ${table}_rejects`
    : `"rejected" in ${name}_manifest.json`
