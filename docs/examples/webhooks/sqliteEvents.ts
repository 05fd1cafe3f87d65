import { DatabaseSync } from 'node:sqlite'
import type { Save } from './receive.ts'

/** Saves events in a file. A repeated event is stored once. */
export const sqliteEvents = (path: string): Save => {
  const db = new DatabaseSync(path)
  db.exec(
    'CREATE TABLE IF NOT EXISTS events (id TEXT UNIQUE, name TEXT NOT NULL, raw TEXT NOT NULL)',
  )
  const insert = db.prepare('INSERT OR IGNORE INTO events (id, name, raw) VALUES (?, ?, ?)')
  return ({ id, name, raw }) => insert.run(id.trim() || null, name, JSON.stringify(raw))
}
