/** All that the commands know of the process; only `main.ts` knows where it comes from. */
import type { Readable, Writable } from 'node:stream'
import type { Observable, SchedulerLike } from 'rxjs'
import type { Timeout } from '../http/transport/Transport.js'

/** A stream that may be a terminal; `columns` and `rows` are 0 where that has no size. */
export type TerminalStream = Writable & {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

export interface Terminal {
  /** Without the name of the program. */
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable
  readonly stdout: TerminalStream
  readonly stderr: TerminalStream
  /** Listens to the process only while subscribed. */
  readonly signals: Observable<Signal>
  /** Emits when the process that started this one has ended, where that is known. */
  readonly parentEnded?: Observable<unknown>
  readonly timer: SchedulerLike
  /** For each request, by `timer`. Default: that of the client. */
  readonly timeout?: Timeout
  /** Version of this package. */
  readonly version: string
}

export type Signal = 'SIGINT' | 'SIGTERM'
