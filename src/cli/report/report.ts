/** `--report FILE`: what became of a run, as a page. */
import { writeFile } from 'node:fs/promises'
import { isSystemError } from '../../export/file/systemError.js'
import type { Watch, Watched } from '../progress/watch.js'
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

/** Records from now on. */
export const reportTo =
  (path: string) =>
  (watched: Pick<Watched, 'client' | 'timer'>, watch: Watch): Report => {
    const { recording, close } = recorder(watched, watch)
    return {
      write: (facts) =>
        writeFile(path, page(facts, recording())).then(() => undefined, unwritten(path)),
      close,
    }
  }

/** Throws what is not the system's word for it, since that is a bug. */
const unwritten =
  (path: string) =>
  (error: unknown): string => {
    if (!isSystemError(error)) throw error
    return `cannot write ${path}: ${error.message}`
  }
