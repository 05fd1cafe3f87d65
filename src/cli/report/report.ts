/** `--report FILE`: what became of a run, as a page. */
import { access, constants, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Watch, Watched } from '../progress/Reading.js'
import { WrongUse } from '../Terminal.js'
import { type Facts, page } from './page.js'
import { recorder } from './recorder.js'

// model

export interface Report {
  /** Stops recording and writes the page. Fails with the system's word for why it cannot. */
  readonly write: (facts: Facts) => Promise<void>
  /** Stops recording, if there is to be no page. */
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
    write: (facts) => {
      const recorded = recording.recording()
      recording.close()
      return writeFile(path, page(facts, recorded))
    },
    close: recording.close,
  }
}
