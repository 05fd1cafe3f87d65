/** `--report FILE`: what became of a run, as a page. */
import { access, constants, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isSystemError } from '../../export/file/systemError.js'
import type { Watch, Watched } from '../progress/watch.js'
import { WrongUse } from '../Terminal.js'
import { type Facts, page } from './page.js'
import { recorder } from './recorder.js'

// model

export interface Report {
  /** Writes the page, also when it is closed. Answers why it could not be written, if so. */
  readonly write: (facts: Facts) => Promise<string | undefined>
  /** Stops recording. */
  readonly close: () => void
}

// constructors

/** Records from now on. Fails with a `WrongUse` where no file can be made, before a long run and not after it. */
export const openReport = async (
  path: string,
  watched: Pick<Watched, 'client' | 'timer'>,
  watch: Watch,
): Promise<Report> => {
  await access(dirname(path), constants.W_OK).catch(() => {
    throw new WrongUse(`--report: ${dirname(path)} should be a folder that can be written to`)
  })
  const recording = recorder(watched, watch)
  return {
    write: (facts) =>
      writeFile(path, page(facts, recording.recording())).then(() => undefined, unwritten(path)),
    close: recording.close,
  }
}

/** Throws what is not the system's word for it, since that is a bug. */
const unwritten =
  (path: string) =>
  (error: unknown): string => {
    if (!isSystemError(error)) throw error
    return `cannot write ${path}: ${error.message}`
  }
