/** Whole files of a folder or of a prefix in a bucket: written once, never changed. */
import { join } from 'node:path'
import { exportError } from '../ExportError.js'
import { disk, type FileSystem, isAbsence, isSystemError } from '../file/FileSystem.js'

// model

export interface Objects {
  /** Name of a key in messages. */
  readonly nameOf: (key: string) => string
  /** Reads a file; undefined if there is none. */
  readonly get: (key: string) => Promise<{ readonly bytes: Uint8Array<ArrayBuffer> } | undefined>
  /** Writes a new file, durably and in one step. Keys have at most one slash. */
  readonly put: (key: string, bytes: Uint8Array<ArrayBuffer>) => Promise<unknown>
  /** Removes a file, if it is there. */
  readonly remove: (key: string) => Promise<void>
  /** Lists the files whose keys begin so. */
  readonly list: (prefix: string) => Promise<ReadonlyArray<{ readonly key: string }>>
}
