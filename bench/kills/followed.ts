/**
 * `follow charges DEST`, killed (SIGKILL) again and again while charges come and change: whether the table is the same as
 * the service, row by row, after a poll in which nothing moved. Takes the service and the table from outside.
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
  /** Time passes at it, fast, until it is told to stand still. */
  readonly service: Pick<Service, 'url' | 'requests'> & { readonly standStill: () => void }
  /** The arguments of node: the command, and all that it is told. */
  readonly args: ReadonlyArray<string>
  /** All rows of the table. */
  readonly read: () => Promise<ReadonlyArray<StoredCharge>>
  readonly kills: number
  /** Requests that a run may live to send, at most. */
  readonly most: number
  /** From 0 up to 1. */
  readonly random: () => number
}

export interface FollowingOutcome {
  readonly kills: number
  /** The status of the last run, which was stopped by SIGTERM. */
  readonly status: number | null
  /** Differences from the service. */
  readonly wrong: ReadonlyArray<string>
  readonly rows: number
  readonly stderr: string
}

/** Requests after which a run has ended a poll that saw everything: the first one reads back as far as any. */
const QUIET = 60

/** Kills runs at moments that are drawn, and stops the last one in order. */
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

/** A clock that passes `factor` times as fast as that of the machine, from a time that lies in the past. */
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

/** A service at which a charge comes each 20 s, and settles after five minutes. */
export const FOLLOWED = { arrivals: 20_000, settleAfter: 300_000, limits: false } as const

/** The arguments of a run. */
export const followArgs = (main: string, url: string, to: string): ReadonlyArray<string> => [
  ...[main, 'follow', 'charges', to, '--base-url', url, '--no-limits', '--every', '150ms'],
  ...['--client-id', 'sandbox', '--api-key', 'sandbox-key', '--environment', 'test'],
  ...['--lease', '200ms'],
]
