import type { RunProgress } from '../../export/index.js'
import { isLast } from '../../export/Progress.js'
import type { OutputState } from '../progress/ExportCounters.js'

/** How far a run came. */
interface Came {
  /** Whether it had begun: until then nothing is changed. */
  readonly isBegun: boolean
  /** Whether reading or writing files failed. */
  readonly isBroken: boolean
}

/** What became of the output of a run whose last word this was. */
export const outputAfter = (last: RunProgress, { isBegun, isBroken }: Came): OutputState => {
  if (!isBroken) return isUntouched(last) ? 'untouched' : 'written'
  if (!isBegun) return 'untouched'
  return last.pages === 0 ? 'unkept' : 'written'
}

/** The list failed or was stopped before its first page. */
const isUntouched = (last: RunProgress): boolean =>
  isLast(last) && !last.ended && last.pages === 0 && last.entry === undefined
