/** `--report FILE`: what became of a run, as a page. */
import { writeFile } from 'node:fs/promises'
import { isSystemError } from '../../export/file/systemError.js'
import type { MonitoredRun, ProgressMonitor } from '../progress/ProgressMonitor.js'
import { recorder } from './recorder.js'
import { type ReportFacts, reportPage } from './reportPage.js'

// model

export interface Report {
  /** Writes the page, also when it is closed. Answers why it could not be written, if so. */
  readonly write: (facts: ReportFacts) => Promise<string | undefined>
  /** Stops recording. */
  readonly close: () => void
}

// constructors

/** Records from now on. */
export const reportTo =
  (path: string) =>
  (watched: Pick<MonitoredRun, 'client' | 'timer'>, watch: ProgressMonitor): Report => {
    const { recording, close } = recorder(watched, watch)
    return {
      write: (facts) =>
        writeFile(path, reportPage(facts, recording())).then(
          () => undefined,
          describeWriteError(path),
        ),
      close,
    }
  }

/** Throws what is not the system's word for it, since that is a bug. */
const describeWriteError =
  (path: string) =>
  (error: unknown): string => {
    if (!isSystemError(error)) throw error
    return `cannot write ${path}: ${error.message}`
  }
