/** Functions that real servers share when a test file starts its own: a port, a user, and the wait until they respond. */
import { execFileSync } from 'node:child_process'
import { chownSync } from 'node:fs'
import { createServer } from 'node:net'

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        resolve(typeof address === 'object' && address !== null ? address.port : 0),
      )
    })
  })

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
