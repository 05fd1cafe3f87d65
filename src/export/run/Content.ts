import { createHash } from 'node:crypto'
import type { Handle } from '../file/Files.js'
import { chunksOf } from '../file/wholly.js'

/** What is in a file. */
export interface Content {
  readonly bytes: number
  /** Of all of them, in hex. */
  readonly sha256: string
  /** How many line feeds are among them. */
  readonly lines: number
}

const LINE_FEED = 10

/** Reads all of it, once. */
export const contentOf = async (handle: Handle): Promise<Content> => {
  const hash = createHash('sha256')
  let bytes = 0
  let lines = 0
  for await (const chunk of chunksOf(handle)) {
    hash.update(chunk)
    bytes += chunk.length
    for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) {
      lines++
    }
  }
  return { bytes, sha256: hash.digest('hex'), lines }
}
