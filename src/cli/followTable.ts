/** `follow LIST DEST`: a table kept current until the command is stopped. */
import { lastValueFrom, type Observable, tap } from 'rxjs'
import {
  type ExportError,
  isExportError,
  isRetryable,
  type SyncEvent,
  type SyncProgress,
} from '../export/index.js'
import { E } from '../fp.js'
import type { AnyFailure } from '../http/Failure.js'
import { plural } from '../report/text.js'
import { isFinal, NEXT, stoppedBy, withAdvice } from './export/conclusion.js'
import { type RejectedRows, rejectedRows } from './export/rejectedRows.js'
import { EXIT_INCOMPLETE, EXIT_LOCKED, EXIT_USAGE } from './output.js'
import { isProven, provenText, whyNotProven } from './proofText.js'
import type { CommandRun, Ending } from './runCommand.js'

/** Follows into a table, and reports progress on stderr. */
export const followTable = async (
  { say, stopped }: Pick<CommandRun, 'say' | 'stopped'>,
  start: (onReject: RejectedRows['take']) => Observable<SyncEvent>,
): Promise<Ending> => {
  let polls = 0
  const rejected = rejectedRows()
  const events = start(rejected.take)
  const noting = rejected.notes.subscribe(say)
  const noted = tap((event: SyncEvent) => {
    if (E.isRight(event)) {
      if (event.right.upTo !== undefined) polls++
      for (const note of notesOf(event.right, polls === 1)) say(note)
    } else if (polls > 0 && !isExportError(event.left)) {
      say(`${withAdvice(event.left)}; the next poll continues`)
    }
  })
  const last = await lastValueFrom(events.pipe(noted)).finally(() => noting.unsubscribe())
  await rejected.close()
  const signal = stopped()
  if (signal !== undefined) {
    return stoppedBy(signal)
  }
  return E.isLeft(last) ? whyEnded(last.left, polls === 0) : { status: EXIT_INCOMPLETE }
}

const whyEnded = (error: ExportError | AnyFailure, isStart: boolean): Ending => {
  if (!isExportError(error)) {
    const reason = `${withAdvice(error)}; ${NEXT}`
    return { status: isStart && isFinal(error) ? EXIT_USAGE : EXIT_INCOMPLETE, reason }
  }
  const { _tag, message } = error
  if (_tag === 'Locked' || _tag === 'Fenced') return { status: EXIT_LOCKED, reason: message }
  return !isRetryable(error)
    ? { status: EXIT_USAGE, reason: message }
    : { status: EXIT_INCOMPLETE, reason: `${message}; ${NEXT}` }
}

const notesOf = (
  { begun, upTo, proof, rows }: SyncProgress,
  isFirst: boolean,
): ReadonlyArray<string> => [
  ...(begun === undefined
    ? []
    : [begun.from === undefined ? 'reads everything' : `reads since ${begun.from}`]),
  ...(isFirst && upTo !== undefined
    ? [`has caught up to ${upTo}: ${plural(rows, 'row')} written; polls from now on`]
    : []),
  ...(proof === undefined
    ? []
    : [isProven(proof) ? provenText(proof) : `not proven complete: ${whyNotProven(proof)}`]),
]
