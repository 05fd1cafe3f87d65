import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll } from 'vitest'
import { hasPostgres, type Postgres, startPostgres } from '../../../bench/services/postgres.js'
import { tempFolder } from '../../support/tempFolder.js'

export interface Database {
  readonly name: 'SQLite' | 'Postgres'
  readonly isThere: boolean
  /** Resolves with the destination of a new database. */
  readonly make: () => Promise<string>
  /** Runs statements, or one query. */
  readonly sql: (
    to: string,
    sql: string,
  ) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>
}

/** Paths in a folder of one test file. */
export const folder = (): ((name: string) => string) => {
  const path = tempFolder()
  return (name) => join(path, name)
}

/** Kinds of destinations that this machine has. */
export const present = <A extends { readonly isThere: boolean }>(
  kinds: ReadonlyArray<A>,
): ReadonlyArray<A> => kinds.filter(({ isThere }) => isThere)

export const databases = (): ReadonlyArray<Database> => {
  const file = folder()
  let made = 0
  const sqlite: Database = {
    name: 'SQLite',
    isThere: true,
    make: async () => file(`${++made}.sqlite`),
    sql: async (to, sql) => {
      const db = new DatabaseSync(to)
      try {
        if (!/^\s*select/i.test(sql)) {
          db.exec(sql)
          return []
        }
        return db
          .prepare(sql)
          .all()
          .map((row) => ({ ...row }))
      } finally {
        db.close()
      }
    },
  }
  let server: Postgres | undefined
  if (hasPostgres) {
    beforeAll(async () => {
      server = await startPostgres()
    })
    afterAll(() => server?.stop())
  }
  const running = (): Postgres => {
    if (server === undefined) throw new Error('no server')
    return server
  }
  const postgres: Database = {
    name: 'Postgres',
    isThere: hasPostgres,
    make: () => running().database(),
    sql: (to, sql) => running().query(to, sql),
  }
  return [sqlite, postgres]
}
