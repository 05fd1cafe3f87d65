/** Options that several commands have, each declared once. */
import { type Command, Option } from 'commander'
import { MINUTE } from '../report/text.js'
import type { Guard } from '../scheduler/index.js'
import { sandboxOption } from './connection.js'
import type { Simulated } from './export/resources.js'
import {
  fraction,
  guard,
  integer,
  nonEmpty,
  patience,
  timeout,
  timeSpan,
  timeSpanFrom,
} from './optionParsers.js'
import { PROGRESS_MODES } from './progress/ProgressView.js'

// flags

/** How hard the service is asked, and how long its faults are waited for. */
export interface PaceFlags {
  /** False if no limits are kept. */
  readonly limits: boolean
  /** The part of them to use. */
  readonly share: number
  readonly guard?: Guard
  /** How long to keep retrying while the service is failing, in seconds. */
  readonly patience: number
  /** Time from a request to the headers of its answer, in seconds. */
  readonly timeout?: number
}

/** Flags of a sandbox in place of a platform. */
export interface SimulationFlags {
  readonly sandbox?: boolean
  readonly rows?: number
}

// single options

export const parallelOption = (): Option =>
  new Option(
    '--parallel <n>',
    'concurrent requests [auto: enough to use the full rate limit]',
  ).argParser(integer(1, 100))

export const lookbackOption = (): Option =>
  new Option('--lookback <time>', 'how far back charges may have changed [7d]').argParser(timeSpan)

/** The longest lease: another run waits that long for one that was killed. */
const LONGEST_LEASE = 10 * MINUTE

/** `shortest`: in ms. */
export const leaseOption = (prefix = '', shortest = 100): Option =>
  new Option('--lease <time>', `${prefix}how long the lease lasts without renewal [15s]`).argParser(
    timeSpanFrom(shortest, LONGEST_LEASE),
  )

export const dryRunOption = (): Option =>
  new Option('--dry-run', 'estimate rows, requests and time; write nothing').default(false)

export const shareOption = (): Option =>
  new Option(
    '--share <part>',
    'share of the rate limits to use, if others use the account, too',
  ).argParser(fraction)

export const noLimitsOption = (): Option =>
  new Option('--no-limits', 'turn off client-side rate limits (only for a service that has none)')

export const patienceOption = (): Option =>
  new Option(
    '--patience <time>',
    'how long to keep retrying while the service is failing: a time, or forever',
  )
    .argParser(patience)
    .default(300, '5m')

/** How hard the service is asked, and how long its faults are waited for. */
export const withPace = (command: Command): Command =>
  command
    .addOption(shareOption().default(1))
    .addOption(noLimitsOption().conflicts('share'))
    .addOption(
      new Option(
        '--guard <how>',
        'margin for network jitter: learned, safe (no refusals, slower), or a time such as 50ms [learned; with --sandbox safe]',
      ).argParser(guard),
    )
    .addOption(patienceOption())
    .option('--timeout <time>', 'how long to wait for the first byte of a response [60s]', timeout)

/** How it is shown. */
export const withView = (command: Command): Command =>
  command
    .addOption(
      new Option(
        '--progress <how>',
        'auto (a live line, or one every half minute in a log), json, or none',
      )
        .choices(PROGRESS_MODES)
        .default('auto'),
    )
    .addOption(
      new Option('--quiet', 'print only errors: no progress, no summary')
        .default(false)
        .conflicts('progress'),
    )

export const withReport = (command: Command): Command =>
  command.option('--report <file>', 'write an HTML report', nonEmpty)

/** `--sandbox`, and `--rows` where it has rows that can be counted. */
export const withSandbox = (
  command: Command,
  simulated: Simulated | undefined,
  description = 'start a sandbox on a free port, and read from it',
): Command => {
  const option = sandboxOption(description)
  if (simulated === undefined) return command.addOption(option)
  const { noun, count, most } = simulated
  const words = `number of ${noun} in that sandbox [${count}]`
  return command.addOption(option).option('--rows <n>', words, integer(0, most))
}
