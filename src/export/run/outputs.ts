/** The files of a run, opened when there is something to write: rows, rejected rows, and keys of rows. */
import { basename, dirname, join } from 'node:path'
import { fieldsOf, ROW_LEVELS } from '../../decode/unknown.js'
import { defined } from '../../fp.js'
import { rowId } from '../../http/answer/readAnswer.js'
import {
  chunksOf,
  closing,
  copyDurably,
  type FileSystem,
  filesNamed,
  isUnfinishedName,
  syncName,
  unfinishedName,
} from '../../store/FileSystem.js'
import type { Numbers } from '../column/decimal.js'
import { serializable, truncated } from '../column/json.js'
import { abandonAll, type Destination } from '../file/Destination.js'
import { checkCommitted, type Mark } from '../file/integrity.js'
import { openFitting, type RowFile } from '../file/RowFile.js'
import { jsonLines } from '../format/json.js'
import type { Reject } from '../sortPage.js'
import type { Marks } from './Checkpoint.js'
import type { Listed } from './Manifest.js'

// model

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
  /** Ends all files, durably. */
  readonly finish: () => Promise<Marks>
  /** Gives the files that have ended their own names, once a checkpoint has them. */
  readonly publish: () => Promise<Listed>
  /** Removes unfinished files that no checkpoint has. */
  readonly sweep: () => Promise<void>
  /** May be called again, and after `finish`. */
  readonly abandon: () => Promise<void>
}

/** Which files, and where they are gone on with. */
export interface OutputsOptions<A> {
  readonly files: FileSystem
  readonly open: () => Promise<Destination<A>>
  /** Where rejected rows go. */
  readonly rejects: string
  /** Where keys go. */
  readonly keys: string
  /** Cuts all back to there. */
  readonly from: Marks | undefined
  /** True if an earlier owner may still write into the files: they are copied. */
  readonly isShared: boolean
  /** Removes what earlier runs left. To be called before the first row is written. */
  readonly clear: () => Promise<void>
  /** Rejects with `Fenced` when a later run has taken over. */
  readonly checkOwner: () => Promise<void>
}

// constructors

/** Nothing is touched before something is asked of them. */
export const outputs = <A>({
  files,
  open,
  rejects,
  keys,
  from,
  isShared,
  clear,
  checkOwner,
}: OutputsOptions<A>): Outputs<A> => {
  const marked = [
    [rejects, from?.rejects],
    [keys, from?.keys],
  ] as const
  const begin = async (): Promise<Destination<A>> => {
    for (const [path, mark] of marked) {
      if (mark !== undefined) await checkCommitted(path, mark, files) // before the rows are cut back
    }
    await clear()
    for (const [path, mark] of marked) {
      if (mark === undefined || !isShared) continue
      const copy = unfinishedName(path)
      await copyDurably(files, path, copy)
      await giveName(copy, path)
    }
    const destination = await open()
    if (from === undefined) await sweep(destination)
    return destination
  }
  /** A later owner sweeps unfinished files, so that this fails where it has taken over after the check. */
  const giveName = async (unfinished: string, path: string): Promise<void> => {
    await checkOwner()
    await files.rename(unfinished, path)
    await syncName(files, path)
  }
  const sweep = async (destination: Destination<A>): Promise<void> => {
    const others = [...(await destination.leftovers())]
    for (const path of [rejects, keys]) {
      const isOwn = isUnfinishedName((name) => name === basename(path))
      const names = await filesNamed(files, dirname(path), isOwn)
      others.push(...names.map((name) => join(dirname(path), name)))
    }
    if (others.length === 0) return
    await checkOwner() // after they were listed: those of a later owner are not among them
    for (const path of others) await files.rm(path, { force: true })
  }
  let opened: Promise<Destination<A>> | undefined
  const rows = (): Promise<Destination<A>> => {
    opened ??= begin()
    return opened
  }
  const common = { files, after: rows, giveName }
  const rejectFile = lineFile({ ...common, path: rejects, from: from?.rejects, numbers: 'exact' })
  const keyFile = lineFile({ ...common, path: keys, from: from?.keys, numbers: 'fast' })
  const lineMarks = async (): Promise<Pick<Marks, 'rejects' | 'keys'>> =>
    defined({
      rejects: await (await rejectFile.ifAny())?.commit(),
      keys: await (await keyFile.ifAny())?.commit(),
    })

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
      const output = await (await rows()).commit()
      return { output, ...(await lineMarks()) }
    },
    finish: async () => {
      const output = await (await rows()).finish()
      return { output, ...(await lineMarks()) }
    },
    publish: async () => {
      const written = await (await rows()).publish()
      const mark = await (await rejectFile.ifAny())?.commit()
      return { files: written, ...(mark && { rejected: { path: rejects, ...mark } }) }
    },
    sweep: async () => sweep(await rows()),
    abandon: async () => {
      // its opener was told if that failed
      const all = await Promise.all(
        [opened, rejectFile.opened(), keyFile.opened()].map((file) => file?.catch(() => undefined)),
      )
      await abandonAll(all.filter((file) => file !== undefined))
    },
  }
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
  /** How numbers are written: with their digits or not. */
  readonly numbers: Numbers
  /** Resolves when it may be opened. */
  readonly after: () => Promise<unknown>
  /** Gives a new file its name. */
  readonly giveName: (unfinished: string, path: string) => Promise<void>
}

/** Rejected rows are there as they came. */
const PRIVATE = { isNew: true, mode: 0o600 }

/** A rejected row is one level inside of its line. */
const check = serializable(ROW_LEVELS + 1)

/** Opens nothing before it is asked for. */
const lineFile = (options: LineFileOptions): LineFile => {
  const { path, files, from, after, numbers, giveName } = options
  let opened: Promise<RowFile<unknown>> | undefined
  const open = async (): Promise<RowFile<unknown>> => {
    await after()
    const format = { ...jsonLines({ numbers, compress: 'none' }), check }
    opened ??= openFitting({ path, format, files, ...(from ? { from } : { ...PRIVATE, giveName }) })
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
