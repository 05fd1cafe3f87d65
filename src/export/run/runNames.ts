/** What the files of a folder are called by the runs that write them. */
import { sortable } from '../file/partName.js'
import { extensionOf } from '../format/compress.js'
import { compressions, formatNames } from '../format/Format.js'

/**
 * What names of parts begin with. By name, later runs come after earlier ones: `part`, `run-0002`,
 * `run-9999`, `run-a10000`, `run-b100000`.
 */
export const prefixOf = (run: number): string => (run === 1 ? 'part' : `run-${sortable(run, 4)}`)

/** Those of all formats. */
const EXTENSIONS = formatNames.flatMap((name) =>
  compressions.map((compress) => extensionOf(name, compress)),
)

/** Whether a run would call a file in its folder so, in whatever format, rejected rows among them. */
export const isOfRun = (name: string): boolean => {
  const [, extension] =
    /^(?:part|run-[a-l]?\d{4,})-[a-m]?\d{5,}-[a-m]?\d{3,}\.(.+)$/.exec(name) ?? []
  return extension === undefined
    ? /^rejects(-\d+)?\.ndjson$/.test(name)
    : EXTENSIONS.includes(extension)
}
