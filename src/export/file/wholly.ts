/** Bytes in full: the system may write and read fewer at a time than it is asked to. */
import type { Handle } from './Files.js'
import { NotTheSame } from './NotTheSame.js'

/** All of the bytes, from `position` on. */
export const writeWholly = async (
  handle: Handle,
  bytes: Uint8Array,
  position: number,
): Promise<void> => {
  for (let written = 0; written < bytes.length; ) {
    const rest = bytes.length - written
    written += (await handle.write(bytes, written, rest, position + written)).bytesWritten
  }
}

/** So many bytes from `position` on. Throws `NotTheSame` when the file at `path` ends before. */
export const readWholly = async (
  path: string,
  handle: Handle,
  position: number,
  length: number,
): Promise<Uint8Array> => {
  const bytes = new Uint8Array(length)
  for (let got = 0; got < length; ) {
    const { bytesRead } = await handle.read(bytes, got, length - got, position + got)
    if (bytesRead === 0) throw new NotTheSame(path, `ends before byte ${position + length}`)
    got += bytesRead
  }
  return bytes
}

/** How many bytes are read at a time. */
export const CHUNK = 1 << 20

/** All that is in a file, a chunk at a time; the next one is put in the place of the one before. */
export async function* chunksOf(handle: Handle): AsyncGenerator<Buffer> {
  const place = Buffer.alloc(CHUNK)
  for (let position = 0; ; ) {
    const { bytesRead } = await handle.read(place, 0, CHUNK, position)
    if (bytesRead === 0) return
    yield place.subarray(0, bytesRead)
    position += bytesRead
  }
}
