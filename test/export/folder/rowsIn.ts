import zlib from 'node:zlib'

/** Rows of the NDJSON files of a folder, by time of creation and id. */
export const rowsIn = async ({
  files,
}: {
  readonly files: ReadonlyMap<string, Uint8Array>
}): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> =>
  [...files]
    .filter(([key]) => /^charges-.*\.ndjson\.zst$/.test(key))
    .flatMap(([, bytes]) => zlib.zstdDecompressSync(bytes).toString().split('\n').slice(0, -1))
    .map((line) => JSON.parse(line))
    .sort((a, b) => a.created_at.localeCompare(b.created_at) || a.id.localeCompare(b.id))
