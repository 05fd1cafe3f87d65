/** Files of NDJSON, compressed or not. */
import { rowId } from '../../http/answer/readAnswer.js'
import { type Compression, compressor } from '../format/Format.js'
import { linesOf } from '../read/textLines.js'
import type { PartFormat } from './PartFormat.js'

/** Characters of lines that are written, and compressed, at a time. */
const BATCH = 1 << 20

export const linePart = (compress: Compression): PartFormat => ({
  ids: async function* (files, path) {
    for await (const lines of linesOf({ files, path, compress })) yield lines.map(idOf)
  },
  copy: async (files, path, to, isKept) => {
    const frame = compress === 'none' ? async (text: Uint8Array) => text : compressor(compress)
    let rows = 0
    let waiting = ''
    const write = async (): Promise<void> => {
      await to.append(await frame(new TextEncoder().encode(waiting)))
      waiting = ''
    }
    for await (const lines of linesOf({ files, path, compress })) {
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
