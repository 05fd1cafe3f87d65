/** Files of rows that can be copied without some of their rows. */

import type { FileSystem } from '../../store/FileSystem.js'
import type { ByteFile } from '../file/ByteFile.js'

/** The id of a row; undefined for one without. */
export type RowId = string | undefined

export interface PartFormat {
  /** Reads the ids of the rows of a file, some at a time. */
  readonly ids: (files: FileSystem, path: string) => AsyncIterable<ReadonlyArray<RowId>>
  /** Copies the rows of a file whose ids are kept; resolves with how many. Values stay as they are, digit by digit. */
  readonly copy: (
    files: FileSystem,
    path: string,
    to: ByteFile,
    isKept: (id: RowId) => boolean,
  ) => Promise<number>
}
