/** Files read back by others than who wrote them. */
import { readFile } from 'node:fs/promises'
import zlib from 'node:zlib'
import { DuckDBInstance } from '@duckdb/node-api'
import type { Compression } from '../../src/export/index.js'

/** The answer with `info: true`, which the types do not describe. */
interface Info {
  readonly buffer: Buffer
  readonly engine: { readonly bytesWritten: number }
}

const isInfo = (u: object): u is Info => 'buffer' in u && Buffer.isBuffer(u.buffer) && 'engine' in u

/** Every frame: Node itself stops after the first of zstd. */
export const unzstd = (bytes: Uint8Array): Buffer => {
  const parts: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length; ) {
    const read: object = zlib.zstdDecompressSync(bytes.subarray(at), { info: true })
    if (!isInfo(read)) throw new Error('no word of how much was read')
    parts.push(read.buffer)
    at += read.engine.bytesWritten
  }
  return Buffer.concat(parts)
}

export const textOf = async (path: string, compress: Compression): Promise<string> => {
  const bytes = await readFile(path)
  switch (compress) {
    case 'none':
      return bytes.toString()
    case 'gzip':
      return zlib.gunzipSync(bytes).toString()
    case 'zstd':
      return unzstd(bytes).toString()
  }
}

export type Query = (sql: string) => Promise<ReadonlyArray<Readonly<Record<string, unknown>>>>

export const duckdb = async (): Promise<Query> => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect()
  await connection.run("set timezone = 'UTC'")
  // It knows a file again by size and time, which two files of one test may have in common.
  await connection.run('set enable_external_file_cache = false')
  return async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson()
}
