/** Functions that real servers share when a test file starts its own: a port, a user, and the wait until they respond. */
import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chownSync } from 'node:fs'
import { createServer } from 'node:net'

/** Ports below those that systems give to sockets bound to port 0: from 32,768 on Linux, from 49,152 on others. */
const PORTS = [20_000, 32_000] as const

/** Resolves with a free port. No socket bound to port 0 takes it before the server listens there, which may take seconds. */
export const freePort = async (): Promise<number> => {
  const port = randomInt(...PORTS)
  const isFree = await new Promise<boolean>((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
  return isFree ? port : freePort()
}

const idOf = (flag: '-u' | '-g'): number =>
  Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))

/** A user other than root under which a server can run. */
export interface ServerUser {
  readonly uid?: number
  readonly gid?: number
}

/**
 * Returns the user `postgres`, which the Debian package creates, if this process is root, because some servers refuse to run as
 * root.
 */
export const serverUser = (): ServerUser =>
  process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}

/** Gives a file or a folder to the user of a server. */
export const giveTo = ({ uid, gid }: ServerUser, path: string): void => {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

/** Resolves when `ask` does. Calls it every 50 ms for ten minutes and more. Rejects with its last error. */
export const untilAnswered = async (ask: () => Promise<unknown>): Promise<void> => {
  for (let tries = 0; ; tries++) {
    try {
      await ask()
      return
    } catch (error) {
      if (tries === 12_000) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
