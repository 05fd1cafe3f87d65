/**
 * PgBouncer in front of a test file's own Postgres, on a free port of this machine. Its program comes from the Debian package
 * `pgbouncer`. If it is not installed, the tests that need it are skipped, and counted in the last line of output.
 */
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PASSWORD } from './postgres.ts'
import { freePort, giveTo, serverUser, untilAnswered } from './startServer.ts'

const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin']

const program = folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path))

export const hasPgBouncer = program !== undefined

/** When another client gets a session of the server. */
export type PoolMode = 'session' | 'transaction' | 'statement'

export interface Pooler {
  /** Returns the URL of a database through the pooler. */
  readonly through: (url: string) => string
  readonly stop: () => Promise<void>
}

const connectTo = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve()
    })
    socket.once('error', reject)
  })

/** Starts it in front of a server. `sessions`: number of server sessions that its clients share. */
export const startPgBouncer = async (
  server: number,
  mode: PoolMode,
  sessions = 2,
): Promise<Pooler> => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-rx-pgbouncer-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const ini = join(folder, 'pgbouncer.ini')
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${server} user=owner password=${PASSWORD}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    `pool_mode = ${mode}`,
    `default_pool_size = ${sessions}`,
  ]
  writeFileSync(ini, settings.join('\n'))
  const user = serverUser()
  giveTo(user, ini)
  const running = spawn(program ?? '', [ini], { ...user, cwd: folder, stdio: 'ignore' })
  await untilAnswered(() => connectTo(port))
  return {
    through: (url) => url.replace(`:${server}/`, `:${port}/`),
    stop: async () => {
      const ended = new Promise((resolve) => running.once('exit', resolve))
      running.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
