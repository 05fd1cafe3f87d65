/** The text of files, compressed or not, and its lines. */
import { pipeline, Readable } from 'node:stream'
import zlib from 'node:zlib'
import { chunksOf, type FileSystem } from '../../store/FileSystem.js'
import { framesOf } from '../folder/textPieces.js'
import type { Compression } from '../format/Format.js'

/** A file that is read as text. */
export interface TextFile {
  readonly files: Pick<FileSystem, 'open'>
  readonly path: string
  readonly compress: Compression
  /** Where it ends; whatever follows was not committed. Default: at its last byte. */
  readonly bytes?: number
}

/** Reads a file, a part at a time. */
export async function* textsOf(file: TextFile): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const chunk of bytesOf(file)) yield decoder.decode(chunk, { stream: true })
}

/** Reads the lines of a file, some at a time. Passes an end without a line feed to `torn`. */
export async function* linesOf(
  file: TextFile,
  torn: (rest: string) => void = () => {},
): AsyncGenerator<ReadonlyArray<string>> {
  let rest = ''
  for await (const text of textsOf(file)) {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    if (lines.length > 0) yield lines
  }
  if (rest !== '') torn(rest)
}

async function* bytesOf({ files, path, compress, bytes }: TextFile): AsyncGenerator<Uint8Array> {
  const handle = await files.open(path, 'r')
  try {
    if (compress === 'none') {
      yield* chunksOf(handle, bytes)
    } else if (compress === 'gzip') {
      const copies = async function* (): AsyncGenerator<Buffer> {
        for await (const chunk of chunksOf(handle, bytes)) yield Buffer.from(chunk)
      }
      const text = zlib.createGunzip()
      pipeline(Readable.from(copies()), text, () => {}) // its error is that of the text
      yield* text
    } else {
      const all: Array<Uint8Array> = []
      for await (const chunk of chunksOf(handle, bytes)) all.push(Buffer.from(chunk))
      yield* framesOf(Buffer.concat(all))
    }
  } finally {
    await handle.close()
  }
}
