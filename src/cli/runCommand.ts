/** Runs a command: signals, deadline, progress, notes, last line and exit status. A command says the rest. */
import {
  combineLatest,
  defer,
  firstValueFrom,
  map,
  merge,
  type Observable,
  type ObservableInput,
  ReplaySubject,
  type SchedulerLike,
  Subject,
  Subscription,
  switchMap,
  take,
} from 'rxjs'
import { oneLine } from '../decode/redact.js'
import { type IO, type WithoutUndefined, withoutUndefined } from '../fp.js'
import { steadyTimer } from '../stream/steadyTimer.js'
import { type CommandContext, EXIT_BY_SIGNAL, fitted } from './output.js'
import { countEvent, type ExportCounters, NO_COUNTERS } from './progress/ExportCounters.js'
import {
  type MonitoredRun,
  monitorProgress,
  type ProgressMonitor,
} from './progress/ProgressMonitor.js'
import {
  type ProgressView,
  showProgress,
  type ViewFlags,
  waitNotes,
} from './progress/ProgressView.js'
import type { Signal, Terminal } from './Terminal.js'

// model

/** Flags that `runCommand` itself reads. */
export interface RunFlags extends Partial<ViewFlags> {
  /** Concurrent requests. */
  readonly parallel?: number
  /** In ms. */
  readonly deadline?: number
  /** In ms. */
  readonly lease?: number
}

/** The end of a command. */
export interface Ending {
  readonly status: number
  /** The last line: on stdout, or on stderr where progress was shown. */
  readonly summary?: string
  /** Why it is not complete, on stderr. */
  readonly reason?: string
  /** A hint for users who see the end. */
  readonly hint?: string
}

/** Options that the long calls of the library share. */
interface SharedOptions extends WithoutUndefined<Pick<RunFlags, 'deadline' | 'lease'>> {
  readonly stop: Observable<Signal>
  readonly timer: SchedulerLike
  readonly env: Terminal['env']
}

/** A command that runs. */
export interface CommandRun extends Pick<CommandContext, 'terminal' | 'output'> {
  readonly options: SharedOptions
  /** The signal that came, if one did. */
  readonly stopped: IO<Signal | undefined>
  /** Prints a line on stderr that stays, unless `--quiet`. */
  readonly say: (line: string) => void
  /** Ends the progress that is shown, where a command has several parts: with the last line of one. */
  readonly conclude: (ending: Ending) => void
  /** Prints waits: retries of a client, and the destination of its lists. */
  readonly noteWaits: (client: Pick<MonitoredRun['client'], 'events'>) => void
  /** Shows the progress of a client from now on, and its retries. */
  readonly watch: (
    client: MonitoredRun['client'],
    options?: Pick<MonitoredRun, 'writesRows'>,
  ) => Watch
}

/** The progress of a client. */
export interface Watch {
  readonly monitor: ProgressMonitor
  readonly timer: SchedulerLike
  readonly counters: IO<ExportCounters>
  readonly count: (update: (counters: ExportCounters) => ExportCounters) => void
  /** Shows samples from now on: what is refused before that shows its reason, and no more. */
  readonly begin: IO<void>
  /** Since the watch began, in ms. */
  readonly elapsed: IO<number>
}

export interface CommandSpec {
  /** Emits the end, once. Unsubscribed at the first signal, unless it stops in order. */
  readonly run: (run: CommandRun) => ObservableInput<Ending>
  /** True if it comes to its end by itself once `options.stop` emits. */
  readonly stopsInOrder?: boolean
}

// constructors

/**
 * Runs a command, and sets the exit status. The first signal is heard from the beginning to the end, also while nothing
 * is read; the second one ends the process. Rejects with usage errors, and with what can only be a bug.
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
  const writeLine = (line: string): void => {
    if (!quiet) stderr.write(`${fitted(stderr, oneLine(line))}\n`)
  }
  const running: CommandRun = {
    terminal,
    output,
    options: { stop, timer, env, ...withoutUndefined({ deadline, lease }) },
    stopped: () => stopped,
    say: (line) => (view?.say ?? writeLine)(line),
    conclude: (ending) => {
      if (view !== undefined) endView(view, ending)
      isConcluded = true
    },
    watch: (client, { writesRows } = {}) => {
      const watching = watchClient(terminal, flags, { client, writesRows })
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
  const ended = defer(() => run(running))
  const killed = stop.pipe(map((signal): Ending => ({ status: EXIT_BY_SIGNAL[signal] })))
  try {
    const ending = await firstValueFrom(stopsInOrder ? ended : merge(ended, killed))
    open.unsubscribe()
    const { status, summary, reason, hint } = ending
    if (view !== undefined && isConcluded) {
      if (summary !== undefined) view.say(summary)
      if (reason !== undefined) output.complain(reason)
    } else if (view === undefined) {
      if (summary !== undefined) output.print(summary)
      if (reason !== undefined) output.complain(reason)
    } else {
      endView(view, ending)
    }
    if (hint !== undefined && progress !== 'json') writeLine(hint)
    exit(status)
  } catch (error) {
    view?.end()
    throw error
  } finally {
    open.unsubscribe()
  }
}

const endView = (view: ProgressView, { status, summary, reason }: Ending): void =>
  view.end(summary === undefined ? undefined : { status, summary, ...withoutUndefined({ reason }) })

/** Counts the events of a client, and shows them as the flags say. */
const watchClient = (
  terminal: Terminal,
  { quiet = false, progress = 'auto', parallel }: RunFlags,
  { client, writesRows }: Pick<MonitoredRun, 'client' | 'writesRows'>,
): Watch & { readonly view: ProgressView; readonly close: IO<void> } => {
  const timer = steadyTimer(terminal.timer)
  const started = timer.now()
  let counters = NO_COUNTERS
  const monitor = monitorProgress({
    ...{ client, timer, parallel, writesRows },
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
  // once, after the notes of the beginning: a clock that drifts is reported again and again
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
    monitor,
    timer,
    counters: () => counters,
    count: (update) => {
      counters = update(counters)
    },
    begin: () => begun.next(),
    elapsed: () => Math.max(0, timer.now() - started), // a clock of the caller may be set back
    close: () => listening.unsubscribe(),
  }
}
