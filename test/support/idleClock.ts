/** Virtual time for code that does real input and output: it passes only while the process has nothing to do. */
import { AsyncResource } from 'node:async_hooks'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import type { Socket } from 'node:net'
import process from 'node:process'
import {
  lastValueFrom,
  type SchedulerAction,
  type SchedulerLike,
  Subscription,
  timer,
  VirtualTimeScheduler,
} from 'rxjs'
import type { VirtualTime } from '../../src/sandbox/index.js'

/** In ms since 1970: after all rows of the servers of tests. */
const START = Date.UTC(2024, 3, 1)

/** Turns of the event loop that a wait takes at least: data may be inside the kernel for one or two. */
const MIN_TURNS = 20
/** And at most, for waits of a minute and more, such as time limits, which nothing else should overtake. */
const MAX_TURNS = 1_000
/** Virtual ms for a quiet turn, in between. */
const PER_TURN = 50

/** In real ms: between looks at work of other threads and processes. */
const REST = 1

/** Rests after which what has not moved is taken for a peer that never answers, or a file that is never ready. */
const PATIENCE = 2_000

// the system's, also while a test replaces the global ones
const { setImmediate, setTimeout } = globalThis

/** The number of the next asynchronous resource: greater by more than one's own if anything else was begun. */
const resources = (): number => new AsyncResource('idleClock').asyncId()

/** True for an operation of the file system, of DNS, or a connection that is being made. */
const isUnderWay = (type: string): boolean =>
  /^(FSReq|CloseReq|GetAddrInfoReq|GetNameInfoReq|QueryReq|TCPConnectWrap|PipeConnectWrap)/.test(
    type,
  )

/** Bytes of a client's socket, as they were seen last. */
interface Seen {
  read: number
  written: number
  /** It has spoken last. */
  asked: boolean
  /** Nothing has moved for so long that its peer is taken for one that never answers. */
  isGivenUp: boolean
}

/** The bytes between sockets: those of this process by both ends, others by who spoke last. */
class Traffic {
  readonly #clients = new Map<Socket, Seen>()
  /** Accepted here, by the port of the client. */
  readonly #accepted = new Map<number | undefined, Socket>()

  start(): void {
    subscribe('net.client.socket', this.#onClient)
    subscribe('net.server.socket', this.#onServer)
  }

  stop(): void {
    unsubscribe('net.client.socket', this.#onClient)
    unsubscribe('net.server.socket', this.#onServer)
  }

  readonly #onClient = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket }
    this.#clients.set(socket, { read: 0, written: 0, asked: false, isGivenUp: false })
    socket.once('close', () => this.#clients.delete(socket))
  }

  readonly #onServer = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket }
    const port = socket.remotePort
    this.#accepted.set(port, socket)
    socket.once('close', () => this.#accepted.delete(port))
  }

  /**
   * Returns the sockets with bytes that were sent and have not arrived, or whose peer outside of this process has been asked;
   * and whether any byte has moved since the last look.
   */
  look(): { readonly waiting: ReadonlyArray<Seen>; readonly hasMoved: boolean } {
    const waiting: Array<Seen> = []
    let hasMoved = false
    for (const [client, last] of this.#clients) {
      const server = this.#accepted.get(client.localPort)
      const { bytesRead: read, bytesWritten: written } = client
      if (read > last.read) last.asked = false
      else if (written > last.written) last.asked = true
      if (read !== last.read || written !== last.written) {
        hasMoved = true
        last.isGivenUp = false
      }
      last.read = read
      last.written = written
      if (client.destroyed) continue
      const isWaiting =
        server === undefined ? last.asked : written > server.bytesRead || server.bytesWritten > read
      if (isWaiting && !last.isGivenUp) waiting.push(last)
    }
    return { waiting, hasMoved }
  }
}

/** Functions that Node 26 does in one task of its pool, which it does not list as an operation that is under way. */
const WHOLE_FILES = ['readFile', 'writeFile', 'appendFile'] as const

/** Counts files that are read or written as a whole. */
class WholeFiles {
  underWay = 0
  readonly #originals = WHOLE_FILES.map((name) => [name, fs[name]] as const)

  start(): void {
    for (const [name, original] of this.#originals) {
      const counted = (...given: ReadonlyArray<unknown>): Promise<unknown> => {
        this.underWay++
        const done: Promise<unknown> = Reflect.apply(original, fs, given)
        return done.finally(() => this.underWay--)
      }
      Object.assign(fs, { [name]: counted })
    }
    syncBuiltinESMExports()
  }

  stop(): void {
    Object.assign(fs, Object.fromEntries(this.#originals))
    syncBuiltinESMExports()
  }
}

export class IdleClock extends VirtualTimeScheduler {
  readonly #traffic = new Traffic()
  readonly #files = new WholeFiles()
  #isStarted = false
  /** It has something to wait for, and looks once a turn. */
  #isRunning = false
  #resources = 0
  #quiet = 0
  #rests = 0
  /** Operations that were given up. */
  #hanging = 0

  constructor(start: number) {
    super()
    this.frame = start
  }

  override schedule<T>(
    work: (this: SchedulerAction<T>, state?: T) => void,
    delay?: number,
    state?: T,
  ): Subscription {
    if (!this.#isStarted) return Subscription.EMPTY
    const scheduled = super.schedule(work, delay, state)
    if (!this.#isRunning) {
      this.#isRunning = true
      this.#quiet = 0
      setImmediate(this.#look)
    }
    return scheduled
  }

  start(): void {
    this.#isStarted = true
    this.#traffic.start()
    this.#files.start()
  }

  /**
   * Forgets all that is scheduled, and ignores what is scheduled until it is started again: where each test file has its own
   * clock in one thread, each clock would take the turns of the other for work of the process, and no time would pass by either.
   */
  stop(): void {
    this.#isStarted = false
    this.#traffic.stop()
    this.#files.stop()
    this.actions.length = 0
    this.#rests = 0
    this.#hanging = 0
  }

  /** One turn of the event loop. */
  readonly #look = (): void => {
    const [next] = this.actions
    if (next === undefined) {
      this.#isRunning = false
      return
    }
    const before = this.#resources
    this.#resources = resources()
    const own = 2 // the number, and the immediate or timer of this turn
    const isActive = this.#resources - before > own
    const { waiting, hasMoved } = this.#traffic.look()
    const operations =
      process.getActiveResourcesInfo().filter(isUnderWay).length + this.#files.underWay
    // not by what else happens here: a peer that never answers would be waited for as long as anything is repeated
    if (hasMoved || (isActive && operations > 0)) this.#rests = 0
    this.#hanging = Math.min(this.#hanging, operations)
    const isWaiting = waiting.length > 0 || operations > this.#hanging
    if (isWaiting && this.#rests >= PATIENCE) {
      for (const socket of waiting) socket.isGivenUp = true
      this.#hanging = operations
      this.#rests = 0
    }
    if (isActive || isWaiting) this.#quiet = 0
    else this.#quiet++
    const wait = (next.delay - this.frame) / PER_TURN
    if (this.#quiet >= Math.min(Math.max(wait, MIN_TURNS), MAX_TURNS)) {
      this.#quiet = 0
      this.#advance(Math.max(next.delay, this.frame + 1))
    }
    if (isWaiting && !isActive) {
      this.#rests++
      setTimeout(this.#look, REST)
    } else setImmediate(this.#look)
  }

  /** Does what is due by `moment`. What is scheduled meanwhile is due 1 ms later, as by the system's timers. */
  #advance(moment: number): void {
    this.frame = moment
    for (const action of this.actions.filter(({ delay }) => delay <= moment)) {
      if (action.closed) continue
      this.actions.splice(this.actions.indexOf(action), 1)
      const error: unknown = action.execute(action.state, action.delay)
      if (error !== undefined) throw error
    }
  }
}

/**
 * The clock of clients, servers and commands that tests run in this process, over real sockets and files. A wait of an hour takes
 * a few turns of the event loop, and on a busy machine the same turns: no time passes while
 *
 * - anything happens in this process: a promise is settled by input, a timer of the system comes due, data arrive,
 * - a file is read or written, a name looked up, a connection made,
 * - bytes are between two sockets of this process, or another process has been asked and has not answered.
 *
 *     process   working ..... quiet .......... working ... quiet .....
 *     turns     |||||||||||||||||||||||||||||||||||||||||||||||||||||||
 *     now       0                            30 s                     31 s
 *
 * Compressing and hashing in other threads is not seen: that is quick. A peer that never answers is given up after seconds of
 * silence, so that time limits are reached. One clock for all: servers tell the time of it.
 *
 * It runs during a test file (`eachFile.ts`): actions that a file has left behind are forgotten.
 *
 * A repeated timer is due again and again while the process waits for what is not seen (its own child processes, timers of the
 * system): tests of those have `asyncScheduler`.
 */
export const idleClock = new IdleClock(START)

/** Time of an account of its own, by the idle clock: it begins at `start`, as that of `virtualTime`. */
export const idleTime = (start = Date.UTC(2026, 0, 1)): VirtualTime => {
  const ahead = start - idleClock.now()
  const clock: SchedulerLike = {
    now: () => idleClock.now() + ahead,
    schedule: idleClock.schedule.bind(idleClock),
  }
  return {
    timer: clock,
    run: async (promise) => promise,
    pass: (ms) => lastValueFrom(timer(ms, clock)).then(() => {}),
  }
}
