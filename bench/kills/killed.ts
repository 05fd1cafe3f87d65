/**
 * The command, killed (SIGKILL) and frozen (SIGSTOP) while it writes into a destination, and run again until that is
 * complete: whether each row is there once, and how those ended that were too late.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { type KilledPlace, type MakePlace, rowText } from './killedPlaces.ts'
import { chargesOf, type Ended, type Service, begin as start } from './syncNights.ts'

// model

export interface Killing {
  /** The command: `dist/cli/main.js`. */
  readonly main: string
  readonly service: Pick<Service, 'url' | 'requests'>
  readonly make: MakePlace
  readonly kills: number
  readonly freezes: number
  /** From 0 up to 1. */
  readonly random: () => number
}

export interface Killed {
  readonly name: string
  readonly kills: number
  /** Runs that were frozen while another one took over. */
  readonly freezes: number
  /** Destinations that were complete in the end, and those of them with each row once. */
  readonly complete: number
  readonly exact: number
  readonly wrong: ReadonlyArray<string>
  /** How often a run that was shut out ended with which status. */
  readonly losers: Readonly<Record<string, number>>
}

// running

const LEASE = '400ms'

const argsOf = ({ main, service }: Killing, place: KilledPlace): ReadonlyArray<string> => [
  ...[main, place.command, 'charges', ...place.args, '--base-url', service.url, '--no-limits'],
  ...['--client-id', 'sandbox', '--api-key', 'sandbox-key', '--environment', 'test'],
  ...['--page-size', '200', '--lease', LEASE, '--progress', 'none'],
]

/** Status of a run that another one is in the way of; it is tried again. */
const LATER = 3

/** Runs until one is complete: it gives up where a fault of the service lasts. */
const MOST_RUNS = 8

class Game {
  readonly #killing: Killing
  readonly #place: KilledPlace
  /** Moments of an undisturbed run. */
  readonly #moments: number
  readonly losers = new Map<string, number>()
  kills = 0
  freezes = 0
  #isComplete = false
  /** Moments that were before this game. */
  readonly #before: number

  constructor(killing: Killing, place: KilledPlace, moments: number) {
    this.#killing = killing
    this.#place = place
    this.#moments = moments
    this.#before = this.#now()
  }

  /** Kills some runs. */
  async kill(times: number): Promise<void> {
    for (let time = 0; time < times; time++) {
      const { ended, pid } = this.#start(this.#moment())
      const { signal } = await ended
      if (signal === 'SIGKILL') this.kills++
      else if (pid === 0) throw new Error('no process')
    }
  }

  /** Freezes a run, has a second one do the work, and thaws the first. */
  async freeze(): Promise<void> {
    let stop = (): void => {}
    const stopped = new Promise<void>((resolve) => {
      stop = resolve
    })
    const first = this.#start(this.#moment(), (pid) => {
      send(pid, 'SIGSTOP')
      stop()
    })
    const early = await Promise.race([stopped.then(() => undefined), first.ended])
    if (early !== undefined) return
    const second = this.#start()
    const doneEarly = await Promise.race([second.ended, sleep(this.#killing.random() * 3_000)])
    send(first.pid, 'SIGCONT')
    const [one, other] = [await first.ended, doneEarly ?? (await second.ended)]
    this.freezes++
    for (const end of [one, other]) {
      const { status, signal, stderr } = end
      if (status === 0) this.#isComplete = true
      if (status === 0 || isThere(end)) continue
      const why =
        /(took over|is in use|has locked it|belongs to an|unfinished export|no longer exists)/.exec(
          stderr,
        )
      const key = `${status ?? signal}${why === null ? `: ${stderr.trim().slice(-160)}` : ''}`
      this.losers.set(key, (this.losers.get(key) ?? 0) + 1)
    }
  }

  /** Has one come to its end, unless one did. */
  async complete(): Promise<void> {
    if (this.#isComplete) return
    let last: Ended | undefined
    for (let run = 0; run < MOST_RUNS; run++) {
      last = await this.#start().ended
      if (last.status === 0 || isThere(last)) return
      if (last.status !== LATER && last.status !== 1) break
    }
    throw new Error(`${this.#place.name} ends with ${last?.status}: ${last?.stderr}`)
  }

  #now(): number {
    return this.#killing.service.requests() + this.#place.changes()
  }

  /** One of the moments that are left. */
  #moment(): number {
    const left = Math.max(1, this.#moments - (this.#now() - this.#before))
    return 1 + Math.floor(this.#killing.random() * left)
  }

  #start(at?: number, act = (pid: number): void => send(pid, 'SIGKILL')) {
    const { service } = this.#killing
    const { changes, command, env } = this.#place
    const args = argsOf(this.#killing, this.#place)
    const counted = {
      ...service,
      requests: () => service.requests() + changes(),
      nextNight: () => {},
    }
    const delay = this.#killing.random() * 15
    const more = command === 'sync' ? [] : ['--resume']
    return start({ service: counted, args: [...args, ...more], env }, at, (pid) => {
      setTimeout(() => act(pid), delay)
    })
  }
}

/** A folder that is complete is not begun again. */
const isThere = ({ status, stderr }: Ended): boolean =>
  status === 2 && /would be replaced/.test(stderr)

const send = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(pid, signal)
  } catch {
    // it has ended
  }
}

/** Throws nothing that is wrong with rows: it is counted. */
export const playKills = async (killing: Killing): Promise<Killed> => {
  const { service, make, kills, freezes, random } = killing
  const expected = (await chargesOf(service.url))
    .map(({ id, amount }) => rowText(id, amount))
    .sort()
  const probe = await make()
  const before = service.requests() + probe.changes()
  await new Game(killing, probe, 1).complete()
  const moments = service.requests() + probe.changes() - before
  probe.remove()
  const wrong: Array<string> = []
  const losers: Record<string, number> = {}
  const done = { kills: 0, freezes: 0, complete: 0, exact: 0 }
  while (done.kills < kills || done.freezes < freezes) {
    const place = await make()
    const game = new Game(killing, place, moments)
    await game.kill(Math.min(kills - done.kills, 1 + Math.floor(random() * 4)))
    if (done.freezes < freezes) await game.freeze()
    await game.complete()
    const { rows, differences } = await place.read()
    const isExact = String([...rows].sort()) === String(expected) && differences.length === 0
    done.kills += game.kills
    done.freezes += game.freezes
    done.complete++
    if (isExact) done.exact++
    else wrong.push(`${rows.length} rows of ${expected.length}, ${differences.join(', ')}`)
    for (const [key, times] of game.losers) losers[key] = (losers[key] ?? 0) + times
    place.remove()
  }
  return { name: probe.name, ...done, wrong, losers }
}
