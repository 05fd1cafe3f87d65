/**
 * A test file's own Postgres server, on a free port of this machine. Its programs are taken from Debian's folder or from PATH.
 * If they are not installed, the tests that need them are skipped, and counted in the last line of output.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { freePort, giveTo, serverUser, untilAnswered } from './startServer.ts'

const DEBIAN = '/usr/lib/postgresql'

const folders = [
  ...(existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin')) : []),
  ...(process.env.PATH ?? '').split(':'),
]

const programs = folders.findLast((folder) => existsSync(join(folder, 'initdb')))

export const hasPostgres = programs !== undefined

export interface Postgres {
  readonly port: number
  /** Creates a database, and resolves with its URL. */
  readonly database: () => Promise<string>
  readonly query: (
    url: string,
    sql: string,
  ) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
  readonly stop: () => void
}

export const startPostgres = async (): Promise<Postgres> => {
  const folder = mkdtempSync(join(tmpdir(), 'payments-rx-postgres-'))
  chmodSync(folder, 0o755)
  const user = serverUser()
  giveTo(user, folder)
  const data = join(folder, 'data')
  const run = { ...user, cwd: folder, stdio: 'ignore' as const }
  const program = (name: string): string => join(programs ?? '', name)
  const init = ['-D', data, '-A', 'scram-sha-256', '-U', 'owner', '--no-sync', '--pwfile']
  const password = join(folder, 'password')
  execFileSync('sh', ['-c', `umask 077; printf ${PASSWORD} > ${password}`], run)
  execFileSync(program('initdb'), [...init, password], run)
  const port = await freePort()
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: folder,
    fsync: 'off',
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(program('postgres'), ['-D', data, ...flags], run)
  const urlOf = (name: string): string => `postgres://owner:${PASSWORD}@127.0.0.1:${port}/${name}`
  const query: Postgres['query'] = async (url, sql) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    try {
      return (await client.query(sql)).rows
    } finally {
      await client.end()
    }
  }
  await untilAnswered(() => query(urlOf('postgres'), 'select 1'))
  let made = 0
  return {
    port,
    query,
    database: async () => {
      const name = `test${++made}`
      await query(urlOf('postgres'), `create database ${name}`)
      return urlOf(name)
    },
    stop: () => {
      server.kill('SIGINT')
      server.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    },
  }
}

/** No output of this package may contain it. */
export const PASSWORD = 'correct-horse-battery'
