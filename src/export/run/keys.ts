/** What tells the rows of a run apart, as it is kept: the keys of those that were written, and rejected rows. */
import { fieldsOf } from '../../decode/unknown.js'
import { rowId } from '../../http/answer/rawRows.js'
import { closing, type Files } from '../file/Files.js'
import { chunksOf } from '../file/wholly.js'

/** Adds the keys that are kept at `path`. */
export const readKeys = (
  files: Pick<Files, 'open'>,
  path: string,
  keys: Set<string>,
): Promise<void> => readLines(files, path, (key) => keys.add(String(key)))

/** Adds the ids of the rejected rows that are kept at `path`. */
export const readAside = (
  files: Pick<Files, 'open'>,
  path: string,
  ids: Set<string>,
): Promise<void> =>
  readLines(files, path, (reject) => {
    const id = rowId(fieldsOf(reject).row)
    if (id !== undefined) ids.add(id)
  })

/** Takes what each line says. */
const readLines = (
  files: Pick<Files, 'open'>,
  path: string,
  take: (said: unknown) => unknown,
): Promise<void> =>
  closing(files.open(path, 'r'), async (handle) => {
    const decoder = new TextDecoder()
    let begun = ''
    for await (const chunk of chunksOf(handle)) {
      const text = decoder.decode(chunk, { stream: true })
      const lines = `${begun}${text}`.split('\n')
      begun = lines.pop() ?? ''
      for (const line of lines) take(JSON.parse(line))
    }
  })

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
