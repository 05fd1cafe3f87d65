import zlib from 'node:zlib'
import { parquetReadObjects } from 'hyparquet'
import { unzstd } from '../reading.js'

interface FolderRow {
  readonly id: string
  readonly amount: number
  readonly status: string
}

const compressors = { ZSTD: (page: Uint8Array) => zlib.zstdDecompressSync(page) }

/** Rows of the current files of a folder, by id; files of other names are left out. */
export const rowsIn = async (
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): Promise<ReadonlyArray<FolderRow>> => {
  const rows: Array<FolderRow> = []
  for (const [key, bytes] of files) {
    if (/^charges-[0-9a-f]{12}\.ndjson\.zst$/.test(key)) {
      const lines = unzstd(bytes).toString().split('\n').slice(0, -1)
      rows.push(...lines.map((line) => JSON.parse(line)))
    } else if (/^charges-[0-9a-f]{12}\.parquet$/.test(key)) {
      const found = await parquetReadObjects({ file: bytes.buffer, compressors })
      rows.push(...found.map(({ id, amount, status }) => ({ id, amount, status })))
    }
  }
  return rows
    .map(({ id, amount, status }) => ({ id, amount: Number(amount.toFixed(4)), status }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
}
