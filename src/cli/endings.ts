/** How commands end. One table maps kinds of failure to exit status and advice; commands add exceptions. */
import { map, type Observable, tap } from 'rxjs'
import { classOf } from '../export/ExportError.js'
import { type ExportError, isExportError, type RunPlan } from '../export/index.js'
import { E } from '../fp.js'
import type { AnyFailure, ListGuard } from '../http/Failure.js'
import type { ErrorClass } from '../http/transport/connectionAdvice.js'
import type { ObservableEither } from '../stream/either/ObservableEither.js'
import {
  EXIT_BY_SIGNAL,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  EXIT_LOCKED,
  EXIT_LOOK,
  EXIT_USAGE,
} from './output.js'
import type { Signal } from './Terminal.js'

export interface Ending {
  readonly status: number
  /** The last line, printed on stdout, or on stderr if progress was shown. */
  readonly summary?: string
  /** The reason why the command did not complete, printed on stderr. */
  readonly reason?: string
  /** A hint, shown unless `--progress` is `json` or `none`. */
  readonly hint?: string
}

/** Advice by kind of failure, appended to its message. */
export type Advice = Partial<Readonly<Record<(ExportError | AnyFailure)['_tag'], string>>>

/** Deviations of a command from the common endings. */
export interface Exceptions {
  readonly advice?: Advice
  /** How to continue a command that may be repeated; empty if it cannot be continued. Default `NEXT`. */
  readonly next?: string
  /** True if the service has responded before. A refusal may then be temporary. */
  readonly isStarted?: boolean
  readonly statuses?: Partial<typeof STATUSES>
}

// the table

const STATUSES: Readonly<Record<ErrorClass, number>> = {
  again: EXIT_INCOMPLETE,
  act: EXIT_USAGE,
  locked: EXIT_LOCKED,
  look: EXIT_LOOK,
}

const RESTORE = ': restore it, or use another table or folder and read all rows from the start'

/** Advice for failures whose message contains no advice. */
const ADVICE: Advice = {
  Unauthorized: ' (check the client id and the API key; run "payments-rx doctor" for details)',
  Damaged: RESTORE,
  ChecksumMismatch: RESTORE,
}

export const NEXT = 'rerun the same command to continue'

/** Guards that detect lists with repeating pages, including lists within a snapshot. */
const ENDLESS: ReadonlyArray<ListGuard | undefined> = [
  'Repeated',
  'SameRows',
  'OutsideFilter',
  'RowsMissing',
  'Unordered',
  'OrderChanged',
]

const repeatsItself = (failure: ExportError | AnyFailure): boolean =>
  failure._tag === 'Truncated' &&
  (failure.cause === undefined ? ENDLESS.includes(failure.guard) : repeatsItself(failure.cause))

// constructors

/** Returns the exit status of a failure, and its message with advice. */
export const failureEnding = (
  failure: ExportError | AnyFailure,
  { advice, next = NEXT, isStarted = false, statuses }: Exceptions = {},
): Required<Pick<Ending, 'status' | 'reason'>> => {
  const found = classOf(failure)
  const passes = found === 'act' && isStarted && !isExportError(failure)
  const status = { ...STATUSES, ...statuses }[passes ? 'again' : found]
  const { _tag, message } = failure
  if (repeatsItself(failure)) {
    const reason = `${message}: a retry will fail in the same way unless the list has changed`
    return { status, reason }
  }
  const then = _tag === 'WriteFailed' && status === EXIT_USAGE && isStarted ? 'then ' : ''
  const goesOn =
    next !== '' && (status === EXIT_INCOMPLETE || then !== '') ? `; ${then}${next}` : ''
  return { status, reason: `${message}${advice?.[_tag] ?? ADVICE[_tag] ?? ''}${goesOn}` }
}

/** Ends a command that was stopped by a signal. */
export const stoppedBy = (
  signal: Signal,
  next = NEXT,
): Required<Pick<Ending, 'status' | 'reason'>> => ({
  status: EXIT_BY_SIGNAL[signal],
  reason: `stopped by ${signal === 'SIGINT' ? 'Ctrl-C' : signal}${next === '' ? '' : `; ${next}`}`,
})

/** Ends `--dry-run`. Prints a plan, after lines for stderr. */
export const dryRun = (
  plan: ObservableEither<AnyFailure, RunPlan>,
  run: { readonly say: (line: string) => void },
  first: ReadonlyArray<string>,
): Observable<Ending> =>
  plan.pipe(
    tap({ subscribe: () => first.forEach(run.say) }),
    map(
      E.match(
        (failure): Ending => failureEnding(failure, { next: '' }),
        ({ lines }): Ending => ({
          status: EXIT_COMPLETE,
          summary: [...lines, 'nothing was written'].join('\n'),
        }),
      ),
    ),
  )
