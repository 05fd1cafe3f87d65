/** The text of files, compressed or not, and its lines. */
import { pipeline, Readable } from 'node:stream'
import zlib from 'node:zlib'
import { storeError } from '../../store/StoreError.js'
import { exportError } from '../ExportError.js'
import type { Compression } from '../format/Format.js'
import { blocksOf, type Files, type ReadableFile } from '../storage/Files.js'
import { unzstd } from './zstdFrames.js'

export interface TextFile {
  readonly files: Files
  readonly name: string
  /** Its path or URL, for messages. */
  readonly path: string
  readonly compress: Compression
  /** Number of bytes to read; bytes after that were not committed. Default: all. */
  readonly bytes?: number
}

/** Reads a file block by block. */
export async function* textsOf(file: TextFile): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  for await (const bytes of bytesOf(file)) yield decoder.decode(bytes, { stream: true })
}

/** Maximum number of characters in a row: more than any response of the service has. */
export const MOST_CHARACTERS = 1 << 25

export const tooLong = (path: string): never => {
  const why = `has a row of more than ${MOST_CHARACTERS} characters, longer than any export writes`
  throw storeError('Damaged', `${path} ${why}`, { path })
}

/** Reads the lines of a file in chunks. Passes a last line that lacks a line feed to `torn`. */
export async function* linesOf(
  file: TextFile,
  torn: (rest: string) => void = () => {},
): AsyncGenerator<ReadonlyArray<string>> {
  let rest: Array<string> = []
  let length = 0
  for await (const text of textsOf(file)) {
    const lines = text.split('\n')
    const last = lines.pop() ?? ''
    if (lines.length > 0) {
      lines[0] = [...rest, lines[0]].join('')
      rest = []
      length = 0
      yield lines
    }
    rest.push(last)
    length += last.length
    if (length > MOST_CHARACTERS) tooLong(file.path)
  }
  if (length > 0) torn(rest.join(''))
}

async function* bytesOf(file: TextFile): AsyncGenerator<Uint8Array> {
  const { compress, bytes } = file
  const opened = await openedToRead(file)
  try {
    const blocks = blocksOf(opened, Math.min(bytes ?? Number.POSITIVE_INFINITY, opened.size))
    if (compress === 'none') {
      yield* blocks
    } else if (compress === 'gzip') {
      const text = zlib.createGunzip()
      pipeline(Readable.from(blocks), text, () => {}) // the text stream reports its error
      yield* text
    } else {
      yield* unzstd(blocks)
    }
  } finally {
    await opened.close()
  }
}

/** Opens a file. Rejects with a `ReadFailed` if it does not exist. */
export const openedToRead = async ({
  files,
  name,
  path,
}: Pick<TextFile, 'files' | 'name' | 'path'>): Promise<ReadableFile> => {
  const opened = await files.read(name)
  if (opened !== undefined) return opened
  const details = { path, code: 'ENOENT' }
  throw exportError('ReadFailed', `cannot read ${path}: it does not exist`, details)
}
