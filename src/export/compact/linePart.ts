/** Files of NDJSON, compressed or not. */
import { pipeline, Readable } from 'node:stream'
import zlib from 'node:zlib'
import { rowId } from '../../http/answer/readAnswer.js'
import { chunksOf, type FileSystem } from '../file/FileSystem.js'
import { framesOf } from '../folder/textPieces.js'
import { type Compression, compressor } from '../format/Format.js'
import type { PartFormat } from './PartFormat.js'

/** Characters of lines that are written, and compressed, at a time. */
const BATCH = 1 << 20

export const linePart = (compress: Compression): PartFormat => ({
  ids: async function* (files, path) {
    for await (const lines of linesOf(files, path, compress)) yield lines.map(idOf)
  },
  copy: async (files, path, to, isKept) => {
    const frame = compress === 'none' ? async (text: Uint8Array) => text : compressor(compress)
    let rows = 0
    let waiting = ''
    const write = async (): Promise<void> => {
      await to.append(await frame(new TextEncoder().encode(waiting)))
      waiting = ''
    }
    for await (const lines of linesOf(files, path, compress)) {
      for (const line of lines) {
        if (!isKept(idOf(line))) continue
        rows++
        waiting += `${line}\n`
      }
      if (waiting.length >= BATCH) await write()
    }
    if (waiting !== '') await write()
    return rows
  },
})

const idOf = (line: string): string | undefined => rowId(JSON.parse(line))

async function* linesOf(
  files: FileSystem,
  path: string,
  compress: Compression,
): AsyncGenerator<ReadonlyArray<string>> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytesOf(files, path, compress)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield lines
  }
}

async function* bytesOf(
  files: FileSystem,
  path: string,
  compress: Compression,
): AsyncGenerator<Uint8Array> {
  const handle = await files.open(path, 'r')
  try {
    if (compress === 'none') {
      yield* chunksOf(handle)
    } else if (compress === 'gzip') {
      const copies = async function* (): AsyncGenerator<Buffer> {
        for await (const chunk of chunksOf(handle)) yield Buffer.from(chunk)
      }
      const text = zlib.createGunzip()
      pipeline(Readable.from(copies()), text, () => {}) // its error is that of the text
      yield* text
    } else {
      const all: Array<Uint8Array> = []
      for await (const chunk of chunksOf(handle)) all.push(Buffer.from(chunk))
      yield* framesOf(Buffer.concat(all))
    }
  } finally {
    await handle.close()
  }
}
