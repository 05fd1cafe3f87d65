/** What the commands see of the outside; only `main.ts` knows where it comes from. */
import type { Writable } from 'node:stream'
import type { Observable, SchedulerLike } from 'rxjs'
import type { Runner } from '../export/index.js'
import type { Timeout } from '../http/transport/Transport.js'

export interface Terminal {
  /** The words after the command's own name. */
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdout: Writable
  /** Of a terminal of no size, as where nobody looks at it, `columns` and `rows` are 0. */
  readonly stderr: Writable & {
    readonly isTTY?: boolean
    readonly columns?: number
    readonly rows?: number
  }
  /** Someone wants it to end. Listens only while subscribed. */
  readonly signals: Observable<Signal>
  readonly timer: SchedulerLike
  /** How long a request may take, by `timer`. Default: as long as for any client. */
  readonly timeout?: Timeout
  /** This process, as others see it. */
  readonly runner: Runner
  /** Of this package. */
  readonly version: string
}

export type Signal = 'SIGINT' | 'SIGTERM'

// exit statuses

/** All was done, and well. */
export const EXIT_COMPLETE = 0
/** Some of it was not, or something failed. */
export const EXIT_INCOMPLETE = 1
/** The words were wrong, or something is in the way: nothing was done. */
export const EXIT_USAGE = 2

/** As shells have it: 128 plus the number of the signal. */
export const EXIT_BY_SIGNAL: Readonly<Record<Signal | 'SIGPIPE', number>> = {
  SIGINT: 130,
  SIGPIPE: 141,
  SIGTERM: 143,
}

/** Ends a command with one line and status 2. */
export class UsageError extends Error {
  override readonly name = 'WrongUse'
}
