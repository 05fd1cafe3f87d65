/** A file of JSON lines that is opened when it is needed. */
import { ROW_LEVELS } from '../../decode/levels.js'
import { defined } from '../../fp.js'
import { beyondLevels } from '../column/beyondJson.js'
import type { Numbers } from '../column/Numbers.js'
import type { Files } from '../file/Files.js'
import { openFile } from '../file/openFile.js'
import type { Mark, RowFile } from '../file/RowFile.js'
import { jsonLines } from '../format/jsonLines.js'

// model

/** A file that may not be open yet. */
export interface LineFile {
  readonly open: () => Promise<RowFile<unknown>>
  /** It, if something is or was written to it. */
  readonly ifAny: () => Promise<RowFile<unknown> | undefined>
  /** It, if it was opened. */
  readonly opened: () => Promise<RowFile<unknown>> | undefined
}

/** Which file, and when it may be opened. */
export interface LineFileOptions {
  readonly path: string
  readonly files: Files
  /** Cuts it back to there. */
  readonly from: Mark | undefined
  /** Whether numbers are written with their digits. */
  readonly numbers: Numbers
  /** What must be done before it is opened. */
  readonly after: () => Promise<unknown>
}

// constructors

/** What is said of a row stands around it. */
const misfit = beyondLevels(ROW_LEVELS + 1)

/** Opens nothing before it is asked for. */
export const lineFile = ({ path, files, from, after, numbers }: LineFileOptions): LineFile => {
  let opened: Promise<RowFile<unknown>> | undefined
  const open = async (): Promise<RowFile<unknown>> => {
    await after()
    const format = { ...jsonLines({ numbers }), misfit }
    opened ??= openFile({ path, format, files, ...defined({ from }) })
    return opened
  }
  return {
    open,
    ifAny: async () => (opened === undefined && from === undefined ? undefined : open()),
    opened: () => opened,
  }
}
