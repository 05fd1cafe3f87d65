/** Runs a command. Handles signals, the deadline, progress, notes, the last line and the exit status. */
import {
  catchError,
  combineLatest,
  defer,
  firstValueFrom,
  map,
  merge,
  type Observable,
  type ObservableInput,
  of,
  ReplaySubject,
  type SchedulerLike,
  Subject,
  Subscription,
  switchMap,
  take,
} from 'rxjs'
import { oneLine } from '../decode/redact.js'
import { isExportError } from '../export/index.js'
import { type IO, type WithoutUndefined, withoutUndefined } from '../fp.js'
import { steadyTimer } from '../stream/steadyTimer.js'
import { type Ending, failureEnding } from './endings.js'
import { type CommandContext, EXIT_BY_SIGNAL, fitted } from './output.js'
import { countEvent, type ExportCounters, NO_COUNTERS } from './progress/ExportCounters.js'
import { type MonitoredRun, monitorProgress } from './progress/ProgressMonitor.js'
import {
  endLine,
  type JsonLine,
  type ProgressView,
  putJson,
  showProgress,
  type ViewFlags,
  waitNotes,
} from './progress/ProgressView.js'
import type { Signal, Terminal } from './Terminal.js'

export type { Ending } from './endings.js'

/** Flags that `runCommand` itself reads. */
export interface RunFlags extends Partial<ViewFlags> {
  readonly parallel?: number
  /** Deadline, in ms. */
  readonly deadline?: number
  /** Length of the lease, in ms. */
  readonly lease?: number
}

/** Options shared by the library's long-running calls. */
interface SharedOptions extends WithoutUndefined<Pick<RunFlags, 'deadline' | 'lease'>> {
  readonly stop: Observable<Signal>
  readonly timer: SchedulerLike
  readonly env: Terminal['env']
}

export interface CommandRun extends Pick<CommandContext, 'terminal' | 'output'> {
  readonly options: SharedOptions
  readonly stopped: IO<Signal | undefined>
  /** Prints a permanent line to stderr, unless `--quiet`. */
  readonly say: (line: string) => void
  /** Prints a line of `--progress json`. */
  readonly tell: (line: JsonLine) => void
  /** Ends the progress that is shown with the last line of a part. For commands with several parts. */
  readonly conclude: (ending: Ending) => void
  /** Prints waits: retries of a client, and waits for the destination of the client's lists. */
  readonly noteWaits: (client: Pick<MonitoredRun['client'], 'events'>) => void
  /** Shows the progress and the retries of a client from now on. */
  readonly watch: (
    client: MonitoredRun['client'],
    options?: Pick<MonitoredRun, 'writesRows' | 'isOnDisk'>,
  ) => Watch
}

/** The progress of a client. */
export interface Watch {
  readonly counters: IO<ExportCounters>
  readonly count: (update: (counters: ExportCounters) => ExportCounters) => void
  /** Starts to show samples. A run that is refused before that shows only the reason. */
  readonly begin: IO<void>
  /** Returns the time since the watch began, in ms. */
  readonly elapsed: IO<number>
}

export interface CommandSpec {
  /** Emits the end, once. It is unsubscribed at the first signal, unless `stopsInOrder` is set. */
  readonly run: (run: CommandRun) => ObservableInput<Ending>
  /** True if it ends by itself once `options.stop` emits. */
  readonly stopsInOrder?: boolean
}

/**
 * Runs a command, and sets the exit status. Listens for the first signal from start to end, even while nothing is read; the
 * second signal ends the process. Rejects with usage errors; any other rejection is a bug.
 */
export const runCommand = async (
  { terminal, output, exit }: CommandContext,
  flags: RunFlags,
  { run, stopsInOrder = false }: CommandSpec,
): Promise<void> => {
  const { timer, env, signals, stderr } = terminal
  const { deadline, lease, quiet = false, progress } = flags
  const stop = new ReplaySubject<Signal>(1)
  let stopped: Signal | undefined
  let view: ProgressView | undefined
  let isConcluded = false
  const open = new Subscription()
  open.add(
    signals.pipe(take(1)).subscribe((signal) => {
      stopped = signal
      stop.next(signal)
    }),
  )
  const isJson = progress === 'json'
  const put = putJson(terminal)
  const writeLine = (line: string): void => {
    if (isJson) put({ type: 'message', message: line })
    else if (!quiet) stderr.write(`${fitted(stderr, oneLine(line))}\n`)
  }
  const running: CommandRun = {
    terminal,
    output,
    options: { stop, timer, env, ...withoutUndefined({ deadline, lease }) },
    stopped: () => stopped,
    say: (line) => (view?.say ?? writeLine)(line),
    tell: (line) => view?.tell?.(line),
    conclude: (ending) => {
      if (view !== undefined) endView(view, ending)
      isConcluded = true
    },
    watch: (client, options = {}) => {
      const watching = watchClient(terminal, flags, { client, ...options })
      view = watching.view
      isConcluded = false
      open.add(watching.close)
      running.noteWaits(client)
      return watching
    },
    noteWaits: ({ events }) => {
      const noteOf = waitNotes(timer)
      open.add(
        events.subscribe((event) => {
          const note = noteOf(event)
          if (note !== undefined) running.say(note)
        }),
      )
    },
  }
  const ended = defer(() => run(running)).pipe(
    catchError((error: unknown) => {
      if (isExportError(error)) return of<Ending>(failureEnding(error, { next: '' }))
      throw error
    }),
  )
  const killed = stop.pipe(map((signal): Ending => ({ status: EXIT_BY_SIGNAL[signal] })))
  try {
    const ending = await firstValueFrom(stopsInOrder ? ended : merge(ended, killed))
    open.unsubscribe()
    const { status, summary, reason, hint } = ending
    if (view !== undefined && !(isConcluded && !isJson)) {
      endView(view, ending)
    } else {
      if (summary !== undefined) (view?.say ?? output.print)(summary)
      if (isJson) put(endLine({ status, ...withoutUndefined({ reason }) }))
      else if (reason !== undefined) output.complain(reason)
    }
    if (hint !== undefined && !isJson && progress !== 'none') writeLine(hint)
    exit(status)
  } catch (error) {
    view?.end()
    throw error
  } finally {
    open.unsubscribe()
  }
}

const endView = (view: ProgressView, { status, summary, reason }: Ending): void =>
  view.end({ status, ...withoutUndefined({ summary, reason }) })

/** Counts the events of a client, and shows them as the flags require. */
const watchClient = (
  terminal: Terminal,
  { quiet = false, progress = 'auto', parallel }: RunFlags,
  { client, writesRows, isOnDisk }: Pick<MonitoredRun, 'client' | 'writesRows' | 'isOnDisk'>,
): Watch & { readonly view: ProgressView; readonly close: IO<void> } => {
  const timer = steadyTimer(terminal.timer)
  const started = timer.now()
  let counters = NO_COUNTERS
  const monitor = monitorProgress({
    ...{ client, timer, parallel, writesRows, isOnDisk },
    counters: () => counters,
  })
  const begun = new ReplaySubject<void>(1)
  const view = showProgress(
    terminal,
    { quiet, progress },
    {
      ...monitor,
      samples: begun.pipe(
        take(1),
        switchMap(() => monitor.samples),
      ),
    },
  )
  const skewed = new Subject<string>()
  const listening = new Subscription(monitor.close)
  // once, after the first notes, because a drifting clock is reported repeatedly
  listening.add(
    combineLatest([skewed, begun])
      .pipe(take(1))
      .subscribe(([message]) => view.say(message)),
  )
  listening.add(
    client.events.subscribe((event) => {
      counters = countEvent(counters, event)
      if (event._tag === 'ClockSkewed') skewed.next(event.message)
    }),
  )
  return {
    view,
    counters: () => counters,
    count: (update) => {
      counters = update(counters)
    },
    begin: () => begun.next(),
    elapsed: () => Math.max(0, timer.now() - started), // the caller's clock may have been set back
    close: () => listening.unsubscribe(),
  }
}
