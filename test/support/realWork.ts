/** Real work of a process, for the clocks of tests. No virtual time passes while there is any. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import fs from 'node:fs'
import type { Socket } from 'node:net'
import process from 'node:process'
import { isMainThread } from 'node:worker_threads'

/** The threads of this process, as reported by Linux. */
const TASKS = '/proc/self/task'

/** Threads of other workers (`--pool=vmThreads`) have clocks of their own. */
const hasThreads = isMainThread && fs.existsSync(TASKS)

/**
 * Threads of V8, of Node and of Vitest, which do no work for tests. On the oldest supported Node, all threads have the same
 * name.
 */
const OTHERS = /V8Worker|DelayedTask|SignalInspector|rolldown/

/** States of a thread: running or waiting for a core, and waiting for a disk. */
const BUSY = [...'RD'].map((state) => state.charCodeAt(0))

/** Returns true for a file system operation, a DNS lookup, or a connection attempt. */
const isOperation = (type: string): boolean =>
  /^(FSReq|CloseReq|GetAddrInfoReq|GetNameInfoReq|QueryReq|TCPConnectWrap|PipeConnectWrap)/.test(
    type,
  )

/** Byte counts of a client's socket at the last look. */
interface Seen {
  read: number
  written: number
  /** True if this side sent last. */
  asked: boolean
  /** True if nothing has moved for so long that its peer counts as one that never responds. */
  isGivenUp: boolean
}

/**
 * The bytes between sockets. For sockets within this process, both ends are compared; for others, the side that sent last
 * counts.
 */
class Traffic {
  readonly #clients = new Map<Socket, Seen>()
  /** Sockets accepted here, by the client's port. */
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
   * Returns the sockets with bytes that were sent but have not arrived, or whose peer outside this process has been asked. Also
   * returns whether any byte has moved since the last look.
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

/** The other threads of this process, which compress, hash, and read files. Node does not list all of their work. */
class Threads {
  /** Open files that show the states, by thread id; `undefined` for other threads. */
  readonly #states = new Map<string, number | undefined>()
  readonly #text = Buffer.alloc(64)
  #count = 0

  /** Returns true while one of them runs, or waits for a core or a disk. */
  areBusy(): boolean {
    this.#open()
    for (const [id, state] of this.#states) {
      if (state === undefined) continue
      try {
        fs.readSync(state, this.#text, 0, this.#text.length, 0)
      } catch {
        fs.closeSync(state) // it has already ended
        this.#states.delete(id)
        continue
      }
      const at = this.#text.lastIndexOf(')') + 2
      if (BUSY.includes(this.#text[at] ?? 0)) return true
    }
    return false
  }

  stop(): void {
    for (const state of this.#states.values()) if (state !== undefined) fs.closeSync(state)
    this.#states.clear()
    this.#count = 0
  }

  /** Threads are started when there is work for them. */
  #open(): void {
    const { nlink } = fs.statSync(TASKS)
    if (nlink === this.#count) return
    this.#count = nlink
    for (const id of fs.readdirSync(TASKS)) {
      if (Number(id) === process.pid || this.#states.has(id)) continue
      try {
        const isOther = OTHERS.test(fs.readFileSync(`${TASKS}/${id}/comm`, 'latin1'))
        this.#states.set(id, isOther ? undefined : fs.openSync(`${TASKS}/${id}/stat`, 'r'))
      } catch {
        // it has already ended
      }
    }
  }
}

/** Modules that an `import()` is waiting for. Another process of Vitest compiles them. */
const modulesUnderWay = (): number => {
  const state: { readonly resolvingModules?: ReadonlySet<string> } | undefined = Reflect.get(
    globalThis,
    '__vitest_worker__',
  )
  return state?.resolvingModules?.size ?? 0
}

/** Operations, bytes and threads of this process at the last look. */
class RealWork {
  /**
   * Number of looks, at least 1 ms apart, after which something that has not moved counts as a peer that never responds, or as
   * a file that is never ready.
   */
  patience = 30_000
  readonly #traffic = new Traffic()
  readonly #threads = new Threads()
  #looks = 0
  /** Number of operations that are no longer waited for. */
  #hanging = 0

  start(): void {
    this.#traffic.start()
  }

  stop(): void {
    this.#traffic.stop()
    this.#threads.stop()
    this.#looks = 0
    this.#hanging = 0
  }

  /**
   * Returns true while an operation or a response is pending and still waited for. `isActive`: this process is doing something.
   */
  isUnderWay(isActive: boolean): boolean {
    const { waiting, hasMoved } = this.#traffic.look()
    const operations = process.getActiveResourcesInfo().filter(isOperation).length
    // independent of other activity here; otherwise, a peer that never responds would be waited for as long as anything repeats
    if (hasMoved || (isActive && operations > 0)) this.#looks = 0
    this.#hanging = Math.min(this.#hanging, operations)
    const isWaiting = waiting.length > 0 || operations > this.#hanging
    if (isWaiting && !isActive && this.#looks++ >= this.patience) {
      for (const socket of waiting) socket.isGivenUp = true
      this.#hanging = operations
      this.#looks = 0
    }
    return isWaiting || modulesUnderWay() > 0
  }

  /**
   * Returns true while another thread compresses, hashes, or reads a file. It is slower, so it is called just before time
   * passes.
   */
  hasBusyThreads(): boolean {
    return hasThreads && this.#threads.areBusy()
  }
}

/** Used during a test file (`eachFile.ts`). */
export const realWork = new RealWork()
