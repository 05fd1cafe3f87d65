/**
 * `follow charges DEST`, killed (SIGKILL) repeatedly while charges arrive and change. Checks that the table equals the service,
 * row by row, after a poll during which nothing changed. The service and the table are passed in.
 */
import {
  beginOnceFree,
  chargesOf,
  differ,
  kill,
  type Service,
  type StoredCharge,
} from './syncNights.ts'

export interface Following {
  /** Time at the service, which passes fast until it is stopped. */
  readonly service: Pick<Service, 'url' | 'requests'> & { readonly standStill: () => void }
  /** The arguments of node: the command and its own arguments. */
  readonly args: ReadonlyArray<string>
  /** Reads all rows of the table. */
  readonly read: () => Promise<ReadonlyArray<StoredCharge>>
  readonly kills: number
  /** Maximum number of requests before a run is killed. */
  readonly most: number
  /** Returns a number from 0 up to 1. */
  readonly random: () => number
}

export interface FollowingOutcome {
  readonly kills: number
  /** The status of the last run, which SIGTERM stopped. */
  readonly status: number | null
  /** Differences from the service. */
  readonly wrong: ReadonlyArray<string>
  readonly rows: number
  readonly stderr: string
}

/**
 * Number of requests after which a run has finished a poll that saw everything, because the first poll reads back the farthest.
 */
const QUIET = 60

/** Kills runs at random moments, and stops the last one with a signal that it handles. */
export const followKilled = async (following: Following): Promise<FollowingOutcome> => {
  const { service, kills, most, random, read } = following
  const nights = { ...following, service: { ...service, nextNight: () => {} } }
  for (let killed = 0; killed < kills; ) {
    const delay = random() * 60
    const moment = 1 + Math.floor(random() * most)
    const { signal, status, stderr } = await beginOnceFree(nights, moment, (pid) => {
      setTimeout(() => kill(pid), delay)
    })
    if (signal !== 'SIGKILL') throw new Error(`it ended with ${status}: ${stderr}`)
    killed++
  }
  service.standStill()
  const { status, stderr } = await beginOnceFree(nights, QUIET, (pid) =>
    process.kill(pid, 'SIGTERM'),
  )
  const found = await read()
  const wrong = differ(await chargesOf(service.url), found)
  return { kills, status, wrong, rows: found.length, stderr }
}

/** A clock that starts in the past and runs `factor` times as fast as that of the machine. */
export const fastClock = (start: number, factor: number) => {
  const began = performance.now()
  let stood: number | undefined
  const now = (): number => stood ?? Math.floor(start + (performance.now() - began) * factor)
  return {
    now,
    standStill: () => {
      stood = now()
    },
  }
}

/** A service at which a charge arrives every 20 s and settles after five minutes. */
export const FOLLOWED = { arrivals: 20_000, settleAfter: 300_000, limits: false } as const

/** The arguments of a run. */
export const followArgs = (main: string, url: string, to: string): ReadonlyArray<string> => [
  ...[main, 'follow', 'charges', to, '--base-url', url, '--no-limits', '--every', '150ms'],
  ...['--client-id', 'sandbox', '--api-key', 'sandbox-key', '--environment', 'test'],
  ...['--lease', '200ms'],
]
