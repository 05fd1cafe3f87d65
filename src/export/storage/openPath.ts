/** A path that is written in place: a file, a device or a named pipe. */
import { closeSync, constants, createWriteStream, openSync, statSync } from 'node:fs'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { asyncScheduler, type SchedulerLike } from 'rxjs'
import { codeOf } from '../../store/FileSystem.js'
import type { Millis } from '../../stream/index.js'

/** Interval, in ms, between attempts to open a named pipe that has no reader. */
const LOOK: Millis = 100

export const openPath = (path: string, timer: SchedulerLike = asyncScheduler): Writable =>
  statSync(path, { throwIfNoEntry: false })?.isFIFO() === true
    ? pipeStream(path, timer)
    : createWriteStream(path)

/**
 * Opens a named pipe once it has a reader. Node's thread pool is not used for writing, because a thread that waits for a reader
 * would keep the process from exiting.
 */
const pipeStream = (path: string, timer: SchedulerLike): Writable => {
  let socket: Socket | undefined
  return new Writable({
    construct(done) {
      const look = (): void => {
        if (this.destroyed) {
          done()
          return
        }
        try {
          const fd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK)
          socket = socketOf(fd)
          socket.on('error', (error) => this.destroy(error))
          done()
        } catch (error) {
          if (codeOf(error) === 'ENXIO')
            timer.schedule(look, LOOK) // there is no reader yet
          else done(error instanceof Error ? error : new Error(String(error)))
        }
      }
      look()
    },
    write: (chunk, _, done) => {
      socket?.write(chunk, done)
    },
    final: (done) => {
      socket?.end(done)
    },
    destroy: (error, done) => {
      socket?.destroy()
      done(error)
    },
  })
}

const socketOf = (fd: number): Socket => {
  try {
    return new Socket({ fd, readable: false, writable: true })
  } catch (error) {
    closeSync(fd)
    throw error
  }
}
