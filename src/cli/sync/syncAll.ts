/** `sync all`: syncs every list, one after the other. */
import type { Command } from 'commander'
import { type IO, withoutUndefined } from '../../fp.js'
import { plural } from '../../report/text.js'
import { steadyTimer } from '../../stream/steadyTimer.js'
import { firstLines } from '../accountLine.js'
import { addEveryOption, type Connection } from '../connection.js'
import {
  EXIT_BY_SIGNAL,
  EXIT_COMPLETE,
  EXIT_INCOMPLETE,
  EXIT_LOCKED,
  EXIT_USAGE,
  UsageError,
} from '../output.js'
import type { CommandRun, Ending } from '../runCommand.js'
import { performSync } from './performSync.js'
import { type SyncFlags, withTimes } from './syncFlags.js'
import { lists, type SyncedList } from './syncLists.js'

export interface Readable {
  readonly list: SyncedList
  readonly connection: Connection
}

interface Skipped {
  readonly name: string
  readonly why: string
}

/** Exit statuses, the worst last. A failure that the user must fix is worse than one after which the same command continues. */
const WORSE: ReadonlyArray<number> = [EXIT_COMPLETE, EXIT_LOCKED, EXIT_INCOMPLETE, EXIT_USAGE]

export const withEveryOption = (command: Command, now: IO<number>): Command =>
  withTimes(addEveryOption(command), now)

/**
 * Returns the lists whose credentials are given, and the others. Prints each account once, followed by the other lists. Throws
 * the `UsageError` if no list is readable.
 */
export const readableLists = (
  run: CommandRun,
  flags: SyncFlags,
  sandbox: Connection | undefined,
): { readonly readable: ReadonlyArray<Readable>; readonly skipped: ReadonlyArray<Skipped> } => {
  const readable: Array<Readable> = []
  const skipped: Array<Skipped> = []
  let missing: UsageError | undefined
  for (const list of lists) {
    try {
      const connection = sandbox ?? list.connection(flags, run.terminal.env)
      readable.push({ list, connection })
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      missing ??= error
      skipped.push({ name: list.name, why: error.message.replace(/ \(or use --sandbox.*\)$/, '') })
    }
  }
  if (readable.length === 0 && missing !== undefined) throw missing
  const connections = readable.map(({ connection }) => connection)
  for (const line of firstLines(flags, ...connections)) run.say(line)
  for (const { name, why } of skipped) run.say(`${name}: skipped: ${why}`)
  return { readable, skipped }
}

/** Returns the destination of a list: a table in the database, or a subfolder of the given folder. */
const placeIn = (to: string, { name }: SyncedList): string =>
  to.endsWith('/') ? `${to}${name}/` : to

export const flagsFor = ({ isTimed = false }: SyncedList, flags: SyncFlags): SyncFlags => {
  if (isTimed) return flags
  const { since: _, lookback: __, sweep: ___, parallel: ____, pageSize: _____, ...own } = flags
  return own
}

/** Syncs every readable list. Resolves with the worst end. */
export const syncAll = async (
  run: CommandRun,
  to: string,
  flags: SyncFlags,
  sandbox: Connection | undefined,
): Promise<Ending> => {
  const { readable, skipped } = readableLists(run, flags, sandbox)
  const { now } = steadyTimer(run.terminal.timer)
  const { deadline = Number.POSITIVE_INFINITY } = flags
  const end = now() + deadline
  const left: Array<string> = []
  let worst = EXIT_COMPLETE
  for (const { list, connection } of readable) {
    const { name } = list
    const rest = end - now()
    if (run.stopped() !== undefined || rest <= 0) {
      left.push(name)
      continue
    }
    const own: CommandRun = {
      ...run,
      options: { ...run.options, ...(rest === Number.POSITIVE_INFINITY ? {} : { deadline: rest }) },
      say: (line) => run.say(`${name}: ${line}`),
    }
    const ending = await performSync(
      list,
      own,
      placeIn(to, list),
      flagsFor(list, flags),
      connection,
    )
    const { status, summary, reason } = ending
    run.conclude({
      status,
      ...withoutUndefined({
        summary: summary && `${name}: ${summary}`,
        reason: reason && `${name}: ${reason}`,
      }),
    })
    worst = worse(worst, status)
  }
  const signal = run.stopped()
  const status =
    signal !== undefined && (left.length > 0 || worst === EXIT_BY_SIGNAL[signal])
      ? EXIT_BY_SIGNAL[signal]
      : worse(worst, left.length > 0 ? EXIT_INCOMPLETE : EXIT_COMPLETE)
  const facts = [
    `${status === EXIT_COMPLETE ? 'complete' : 'incomplete'}: ${plural(readable.length - left.length, 'list')}`,
    ...(left.length === 0 ? [] : [`not started: ${left.join(', ')}`]),
    ...(skipped.length === 0
      ? []
      : [`without credentials: ${skipped.map(({ name }) => name).join(', ')}`]),
  ]
  return { status, summary: facts.join('; ') }
}

/** Returns the worse of two exit statuses. The status of a signal is the worst. */
export const worse = (one: number, other: number): number => {
  const [a, b] = [one, other].map((status) => WORSE.indexOf(status))
  if (a === undefined || b === undefined) return one
  if (a < 0 || b < 0) return a < 0 ? one : other
  return a > b ? one : other
}
