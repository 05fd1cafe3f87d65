/** Options shared by several commands. Each is declared once. */
import { type Command, Option } from 'commander'
import { MINUTE } from '../report/text.js'
import type { Guard } from '../scheduler/index.js'
import { sandboxOption } from './connection.js'
import type { Simulated } from './export/resources.js'

import { GROUP } from './help.js'
import {
  fraction,
  guard,
  integer,
  nonNegativeInteger,
  patience,
  timeout,
  timeSpanFrom,
} from './optionParsers.js'

import { PROGRESS_MODES } from './progress/ProgressView.js'

// flags

export interface PaceFlags {
  /** False if rate limits are turned off. */
  readonly limits: boolean
  /** Share of the rate limits to use. */
  readonly share: number
  readonly guard?: Guard
  /** Time to keep retrying while the service is failing, in seconds. */
  readonly patience: number
  /** Time limit from a request to its response headers, in seconds. */
  readonly timeout?: number
}

/** Flags of a sandbox that is used instead of the platform. */
export interface SimulationFlags {
  readonly sandbox?: boolean
  readonly rows?: number
}

// single options

export const parallelOption = (): Option =>
  new Option('--parallel <n>', 'concurrent requests [enough for the full rate limit]')
    .helpGroup(GROUP.speed)
    .argParser(integer(1, 100))

/** Maximum length of a lease. After a run was killed, another run waits that long. */
const LONGEST_LEASE = 10 * MINUTE

/** Creates `--lease`. `shortest`: minimum, in ms. */
export const leaseOption = (prefix = '', shortest = 100): Option =>
  new Option('--lease <time>', `${prefix}how long the lease lasts without renewal [15s]`)
    .helpGroup(GROUP.resume)
    .argParser(timeSpanFrom(shortest, LONGEST_LEASE))

export const allowGoneOption = (prefix = ''): Option =>
  new Option(
    '--allow-gone <n>',
    `${prefix}allow this many rows to disappear at once (the error message gives the number)`,
  )
    .helpGroup(GROUP.output)
    .argParser(nonNegativeInteger)

export const dryRunOption = (): Option =>
  new Option('--dry-run', 'estimate rows, requests and time; write nothing')
    .helpGroup(GROUP.output)
    .default(false)

export const shareOption = (): Option =>
  new Option('--share <part>', 'share of the rate limits to use, if others use the account too')
    .helpGroup(GROUP.speed)
    .argParser(fraction)

export const noLimitsOption = (): Option =>
  new Option(
    '--no-limits',
    'turn off client-side rate limits (only for a service that has none)',
  ).helpGroup(GROUP.speed)

export const patienceOption = (): Option =>
  new Option(
    '--patience <time>',
    'how long to keep retrying while the service is failing (a duration or "forever")',
  )
    .helpGroup(GROUP.speed)
    .argParser(patience)
    .default(300, '5m')

/** Adds the options for rate limits, and for patience with a failing service. */
export const withPace = (command: Command): Command =>
  command
    .optionsGroup(GROUP.speed)
    .addOption(shareOption().default(1))
    .addOption(noLimitsOption().conflicts('share'))
    .addOption(
      new Option(
        '--guard <how>',
        'margin for network jitter: learned, safe (no refusals, slower), or a time such as 50ms [learned, or safe with --sandbox]',
      ).argParser(guard),
    )
    .addOption(patienceOption())
    .option('--timeout <time>', 'how long to wait for the first byte of a response [60s]', timeout)

export const withView = (command: Command, quiet?: string): Command =>
  command.optionsGroup(GROUP.output).addOption(progressOption()).addOption(quietOption(quiet))

export const progressOption = (): Option =>
  new Option('--progress <how>', 'auto (a live status line or log lines), json or none')
    .choices(PROGRESS_MODES)
    .default('auto')

export const quietOption = (description = 'print only errors: no progress, no summary'): Option =>
  new Option('--quiet', description).default(false).conflicts('progress')

/** Adds `--sandbox`. Also adds `--rows` if the sandbox has a configurable number of rows. */
export const withSandbox = (
  command: Command,
  simulated: Simulated | undefined,
  description = 'start a local sandbox on a free port and read from it',
): Command => {
  const option = sandboxOption(description)
  if (simulated === undefined) return command.addOption(option)
  const { noun, count, most } = simulated
  const words = `number of ${noun} in that sandbox [${count}]`
  return command
    .addOption(option)
    .optionsGroup(GROUP.connection)
    .option('--rows <n>', words, integer(0, most))
}
