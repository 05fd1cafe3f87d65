/** Reads an export with DuckDB, and compares its files with its manifest. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

// model

export interface Found {
  readonly rows: number
  /** All ids in order, with a comma after each, as SHA-256. */
  readonly ids: string
  /** True if size and hash of each file are those of the manifest. */
  readonly hashes: boolean
}

// constructors

const reader = (path: string): string => {
  if (path.endsWith('.parquet')) return `read_parquet('${path}')`
  return path.includes('.csv')
    ? `read_csv('${path}', header = true, all_varchar = true)`
    : `read_json('${path}', format = 'newline_delimited', columns = {id: 'VARCHAR'})`
}

/** A torn line is an error of the reader. */
export const readBack = async (path: string): Promise<Found> => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  const rows = await connection.runAndReadAll(`select id from ${reader(path)} order by id`)
  const ids = rows.getColumns()[0] ?? []
  return { rows: ids.length, ids: hashOf(ids.map(String)), hashes: await areAsSaid(path) }
}

export const hashOf = (ids: ReadonlyArray<string>): string => {
  const hash = createHash('sha256')
  for (const id of ids) hash.update(`${id},`)
  return hash.digest('hex')
}

const areAsSaid = async (path: string): Promise<boolean> => {
  const { runs } = JSON.parse(await readFile(`${path}.manifest.json`, 'utf8'))
  for (const { path: name, bytes, sha256 } of runs[0].files) {
    const content = await readFile(join(dirname(path), name))
    if (content.length !== bytes) return false
    if (createHash('sha256').update(content).digest('hex') !== sha256) return false
  }
  return runs.length === 1 && runs[0].complete === true
}
