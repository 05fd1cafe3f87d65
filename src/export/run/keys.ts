/** The keys of all rows that were written, as they are kept: a line for each, in JSON. */
import type { Files } from '../file/Files.js'
import { chunksOf } from '../file/wholly.js'

/** Adds those that are kept at `path`. */
export const readKeys = async (
  files: Pick<Files, 'open'>,
  path: string,
  keys: Set<string>,
): Promise<void> => {
  const handle = await files.open(path, 'r')
  try {
    const decoder = new TextDecoder()
    let begun = ''
    for await (const chunk of chunksOf(handle)) {
      const text = decoder.decode(chunk, { stream: true })
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
