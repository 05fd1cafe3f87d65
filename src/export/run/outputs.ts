/** The files of a run, opened when there is something to write: rows, rejected rows, and keys of rows. */
import { ROW_LEVELS } from '../../decode/levels.js'
import { fieldsOf } from '../../decode/unknown.js'
import { defined } from '../../fp.js'
import { rowId } from '../../http/answer/readAnswer.js'
import type { Numbers } from '../column/decimal.js'
import { serializable, truncated } from '../column/json.js'
import { abandonAll, type Destination, type DestinationMark } from '../file/Destination.js'
import { chunksOf, closing, type FileSystem, isAbsence, syncName } from '../file/FileSystem.js'
import { checkCommitted, type Mark } from '../file/integrity.js'
import { openFile, type RowFile } from '../file/RowFile.js'
import { jsonLines } from '../format/json.js'
import type { Reject } from '../sortPage.js'
import type { Marks } from './Checkpoint.js'
import type { Listed } from './Manifest.js'

// model

/** Files of earlier runs that are of no use any more: removed before the first row is written. */
export interface Leftovers {
  /** Files of rows, all in one folder. */
  readonly rows: ReadonlyArray<string>
  /** Checkpoint and manifest. They go last: while they stand, some of the rows are not taken for all. */
  readonly records: ReadonlyArray<string>
}

/** The files of a run. */
export interface Outputs<A> {
  /** Opens what there is, cut back, without waiting for something to write. */
  readonly ready: () => Promise<unknown>
  /** Rows, and what tells them apart where that is to be kept. */
  readonly write: (
    rows: ReadonlyArray<A>,
    slice: number,
    keys: ReadonlyArray<string>,
  ) => Promise<void>
  readonly endSlice: (slice: number) => Promise<void>
  readonly reject: (rows: ReadonlyArray<Reject>) => Promise<unknown>
  readonly commit: () => Promise<Marks>
  /** Answers with the files, which are complete. */
  readonly finish: () => Promise<Listed>
  /** May be called again, and after `finish`. */
  readonly abandon: () => Promise<void>
}

/** Which files, and where they are gone on with. */
export interface OutputsOptions<A> {
  readonly files: FileSystem
  readonly open: (mark: DestinationMark | undefined) => Promise<Destination<A>>
  /** The file that rows go to, where it is one. */
  readonly file: string | undefined
  /** Where rejected rows go. */
  readonly rejects: string
  /** Where keys go. */
  readonly keys: string
  /** Cuts all back to there. */
  readonly from: Marks | undefined
  /** Files to take away before. */
  readonly leftovers: Leftovers
}

// constructors

/** Nothing is touched before something is asked of them. */
export const outputs = <A>({
  files,
  open,
  file,
  rejects,
  keys,
  from,
  leftovers,
}: OutputsOptions<A>): Outputs<A> => {
  const begin = async (): Promise<Destination<A>> => {
    if (file !== undefined && from === undefined) await mayOpen(files, file)
    if (from?.rejects !== undefined) await checkCommitted(rejects, from.rejects, files)
    if (from?.keys !== undefined) await checkCommitted(keys, from.keys, files) // before the rows are cut back
    await removeAll(files, leftovers)
    if (from?.rejects === undefined) await files.rm(rejects, { force: true })
    return open(from?.output)
  }
  let opened: Promise<Destination<A>> | undefined
  const rows = (): Promise<Destination<A>> => {
    opened ??= begin()
    return opened
  }
  const common = { files, after: rows }
  const rejectFile = lineFile({ ...common, path: rejects, from: from?.rejects, numbers: 'exact' })
  const keyFile = lineFile({ ...common, path: keys, from: from?.keys, numbers: 'fast' })

  return {
    ready: async () => {
      await rows()
      await rejectFile.ifAny()
      await keyFile.ifAny()
    },
    write: async (page, slice, names) => {
      await (await rows()).write(page, slice)
      if (names.length > 0) await (await keyFile.open()).write(names)
    },
    endSlice: async (slice) => (await rows()).endSlice(slice),
    reject: async (page) =>
      (await rejectFile.open()).write(
        page.map((reject) => ({ ...reject, row: truncated(reject.row) })),
      ),
    commit: async () => {
      const output = (await (await rows()).commit()) ?? { parts: [] }
      const marks = {
        rejects: await (await rejectFile.ifAny())?.commit(),
        keys: await (await keyFile.ifAny())?.commit(),
      }
      return { output, ...defined(marks) }
    },
    finish: async () => {
      const written = await (await rows()).finish()
      const rejected = await (await rejectFile.ifAny())?.finish()
      await (await keyFile.opened())?.abandon()
      return { files: written, ...defined({ rejected }) }
    },
    abandon: async () => {
      // who opened it was told if that failed
      const all = await Promise.all(
        [opened, rejectFile.opened(), keyFile.opened()].map((file) => file?.catch(() => undefined)),
      )
      await abandonAll(all.filter((file) => file !== undefined))
    },
  }
}

/** Fails where rows that are there would stay, without what is kept of them. */
const mayOpen = async (files: FileSystem, path: string): Promise<void> => {
  try {
    const handle = await files.open(path, 'r+')
    await handle.close()
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
}

/** Records only when no rows that they are of can come back. */
const removeAll = async (files: FileSystem, { rows, records }: Leftovers): Promise<void> => {
  for (const path of rows) await files.rm(path, { force: true })
  const [first] = rows
  if (first !== undefined) await syncName(files, first)
  for (const path of records) await files.rm(path, { force: true })
}

// a file of JSON lines

/** A file that may not be open yet. */
export interface LineFile {
  readonly open: () => Promise<RowFile<unknown>>
  /** It, if something is or was written to it. */
  readonly ifAny: () => Promise<RowFile<unknown> | undefined>
  /** It, if it was opened. */
  readonly opened: () => Promise<RowFile<unknown>> | undefined
}

/** Which file, and when it may be opened. */
export interface LineFileOptions {
  readonly path: string
  readonly files: FileSystem
  /** Cuts it back to there. */
  readonly from: Mark | undefined
  /** Whether numbers are written with their digits. */
  readonly numbers: Numbers
  /** What must be done before it is opened. */
  readonly after: () => Promise<unknown>
}

/** A rejected row is one level inside of its line. */
const check = serializable(ROW_LEVELS + 1)

/** Opens nothing before it is asked for. */
const lineFile = ({ path, files, from, after, numbers }: LineFileOptions): LineFile => {
  let opened: Promise<RowFile<unknown>> | undefined
  const open = async (): Promise<RowFile<unknown>> => {
    await after()
    const format = { ...jsonLines({ numbers, compress: 'none' }), check }
    opened ??= openFile({ path, format, files, ...defined({ from }) })
    return opened
  }
  return {
    open,
    ifAny: async () => (opened === undefined && from === undefined ? undefined : open()),
    opened: () => opened,
  }
}

// keys: what tells the rows of a run apart, read back when it is resumed

/** Adds the keys that are kept at `path`. */
export const readKeys = (
  files: Pick<FileSystem, 'open'>,
  path: string,
  keys: Set<string>,
): Promise<void> => readLines(files, path, (key) => keys.add(String(key)))

/** Adds the ids of the rejected rows that are kept at `path`. */
export const readRejectedIds = (
  files: Pick<FileSystem, 'open'>,
  path: string,
  ids: Set<string>,
): Promise<void> =>
  readLines(files, path, (reject) => {
    const id = rowId(fieldsOf(reject).row)
    if (id !== undefined) ids.add(id)
  })

/** Takes what each line says. */
const readLines = (
  files: Pick<FileSystem, 'open'>,
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
