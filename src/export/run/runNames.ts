/** What the files of a folder are called by the runs that write them. */
import { extensionOf } from '../format/compress.js'
import { compressions, formatNames } from '../format/Format.js'

/** A letter for each digit more than four: letters sort after digits. */
const LETTERS = ['', ...'abcdefghijkl']

/**
 * What names of parts begin with. By name, later runs come after earlier ones: `part`, `run-0002`,
 * `run-9999`, `run-a10000`, `run-b100000`.
 */
export const prefixOf = (run: number): string => {
  const digits = String(run).padStart(4, '0')
  return run === 1 ? 'part' : `run-${LETTERS[digits.length - 4]}${digits}`
}

/** Those of all formats. */
const EXTENSIONS = formatNames.flatMap((name) =>
  compressions.map((compress) => extensionOf(name, compress)),
)

/** Whether a run would call a file in its folder so, in whatever format, rejected rows among them. */
export const isOfRun = (name: string): boolean => {
  const [, extension] = /^(?:part|run-[a-l]?\d{4,})-\d{5,}-\d{3,}\.(.+)$/.exec(name) ?? []
  return extension === undefined
    ? /^rejects(-\d+)?\.ndjson$/.test(name)
    : EXTENSIONS.includes(extension)
}
