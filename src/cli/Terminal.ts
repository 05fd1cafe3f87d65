/** The process as the commands see it. Only `main.ts` provides the real one. */
import type { Readable, Writable } from 'node:stream'
import type { Observable, SchedulerLike } from 'rxjs'
import type { Timeout } from '../http/transport/Transport.js'
import type { FileSystem } from '../store/FileSystem.js'

/** A stream that may be a terminal. `columns` and `rows` are 0 if the terminal has no size. */
export type TerminalStream = Writable & {
  readonly isTTY?: boolean
  readonly columns?: number
  readonly rows?: number
}

export interface Terminal {
  /** Arguments, without the program's name. */
  readonly args: ReadonlyArray<string>
  readonly env: Readonly<Record<string, string | undefined>>
  readonly stdin: Readable
  readonly stdout: TerminalStream
  readonly stderr: TerminalStream
  /** Signals of the process. They are listened to only while there is a subscriber. */
  readonly signals: Observable<Signal>
  /** Emits when the parent process has ended, if that can be detected. */
  readonly parentEnded?: Observable<unknown>
  readonly timer: SchedulerLike
  /** Time limits per request, measured by `timer`. Default: the client's. */
  readonly timeout?: Timeout
  /** File system for the results of `pay`. Default: the disk. */
  readonly files?: FileSystem
  /** Version of this package. */
  readonly version: string
}

export type Signal = 'SIGINT' | 'SIGTERM'
