import type { Pool } from 'pg'
import type { Save } from './receive.ts'

/** First run `CREATE TABLE events (id text UNIQUE, name text NOT NULL, raw json NOT NULL)`. */
export const postgresEvents =
  (pool: Pool): Save =>
  ({ id, name, raw }) =>
    pool.query('INSERT INTO events (id, name, raw) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      ...[id.trim() || null, name, JSON.stringify(raw)],
    ])
