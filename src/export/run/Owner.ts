/** Who runs, and who a lock says is at it. */
import * as t from 'io-ts'
import { parsed } from '../../decode/unknown.js'
import { E } from '../../fp.js'
import type { Millis } from '../../stream/index.js'

// model

/** Who runs. */
export interface Runner {
  /** The number of its process. */
  readonly pid: number
  /** What its machine is called. */
  readonly host: string
  /** When the process began, in ms since 1970: a number of a process is given again. */
  readonly since: Millis
  /** When this machine began, in ms since 1970, if that is known: no process is older. */
  readonly booted?: Millis
  /** Tells runs of one process apart, when they begin at the same time: letters, digits and hyphens. */
  readonly token?: string
  /** Whether a process of this machine runs. */
  readonly isAlive: (pid: number) => boolean
}

const owner = t.type({
  /** The number of its process. */
  pid: t.number,
  /** What its machine is called. */
  host: t.string,
  /** When the process began, in ms since 1970. */
  since: t.number,
})

/** Who has a lock, as it says. */
export interface Owner extends t.TypeOf<typeof owner> {}

// constructors

/** Undefined for what was not written by us: nobody can say whether it is in use. */
export const ownerOf = (text: string): Owner | undefined => {
  const read = owner.decode(parsed(text))
  return E.isRight(read) ? read.right : undefined
}

// combinators

/** What a lock says of who takes it. */
export const showOwner = ({ pid, host, since }: Owner): string =>
  `${JSON.stringify({ pid, host, since })}\n`

/** By so much two clocks that tell of one moment may differ, in ms: a clock is set now and then. */
const SLACK = 60_000

/** Whether a run is no more, as far as who runs now can tell: of another machine nobody can. */
export const isDead =
  ({ isAlive, booted = 0, ...self }: Runner) =>
  ({ pid, host, since }: Owner): boolean =>
    host === self.host &&
    (since < booted - SLACK || (pid === self.pid ? since !== self.since : !isAlive(pid)))

/** In words, after the path of the lock. */
export const heldBy = (other: Owner | undefined): string =>
  other === undefined
    ? 'says that another run is writing there, and not which: remove it if there is none'
    : `says that process ${other.pid} on ${other.host} is writing there: wait for it, or remove the file if there is no such process`
