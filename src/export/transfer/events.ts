/** Events of a transfer as those of an export or a sync: progress, and why it ended. */
import { E } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import { type ExportError, exportError, isExportError } from '../ExportError.js'
import type { Cut, TransferEvent } from './TransferEvent.js'

/** Returns the progress of an event, without why it ended. */
export const progressOf = ({ cut, ...progress }: TransferEvent) => ({
  ...progress,
  ...(cut === 'stopped' || isPassed(cut) ? { stopped: true as const } : {}),
})

const isPassed = (cut: Cut | undefined): boolean =>
  isExportError(cut) && cut._tag === 'DeadlinePassed'

/** Returns why a transfer ended before its end, unless it was told to; `name`: that of its destination. */
export const leftOf = (
  cut: Cut | undefined,
  name: string,
): ReadonlyArray<E.Either<ExportError | AnyFailure, never>> => {
  if (cut === undefined || cut === 'stopped') return []
  if (cut !== 'rejects') return [E.left(cut)]
  const why = 'more rows than maxRejects cannot be written'
  return [E.left(exportError('TooManyRejects', why, { path: name }))]
}
