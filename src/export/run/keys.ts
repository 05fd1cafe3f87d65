/** The keys of all rows that were written, as they are kept: a line for each, in JSON. */
import type { SmallFiles } from './SmallFiles.js'

/** How much is read at a time. */
const CHUNK = 1 << 20

/** Adds those that are kept at `path`. */
export const readKeys = async (
  files: Pick<SmallFiles, 'open'>,
  path: string,
  keys: Set<string>,
): Promise<void> => {
  const handle = await files.open(path, 'r')
  try {
    const chunk = new Uint8Array(CHUNK)
    const decoder = new TextDecoder()
    let begun = ''
    for (let position = 0; ; ) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK, position)
      if (bytesRead === 0) return
      position += bytesRead
      const text = decoder.decode(chunk.subarray(0, bytesRead), { stream: true })
      const lines = `${begun}${text}`.split('\n')
      begun = lines.pop() ?? ''
      for (const line of lines) keys.add(String(JSON.parse(line)))
    }
  } finally {
    await handle.close()
  }
}

/** Answers with the keys that were added since it was asked last. */
export const addedTo = (keys: ReadonlySet<string>): (() => ReadonlyArray<string>) => {
  const all = keys.values() // finds those that are added later, until it came to an end
  let taken = 0
  return () => {
    const added: Array<string> = []
    for (; taken < keys.size; taken++) {
      const { value } = all.next()
      if (value !== undefined) added.push(value)
    }
    return added
  }
}
