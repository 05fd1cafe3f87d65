/** Destinations of a run: a file, or a folder of parts. Each is written under another name, and renamed when it is complete. */
import { basename, dirname, join } from 'node:path'
import {
  copyDurably,
  disk,
  type FileSystem,
  filesNamed,
  isThere,
  isUnfinishedName,
  modeOf,
  syncFolder,
  unfinishedName,
} from '../../store/FileSystem.js'
import { checksumMismatch } from '../../store/StoreError.js'
import { checkName, type Format } from '../format/Format.js'
import { checkEnded, checkNoConflict, openMarked } from './integrity.js'
import {
  type DestinationMark,
  isPartName,
  type PartMark,
  type Parts,
  partName,
  partsOf,
  type Rotation,
} from './parts.js'
import { type FileSummary, openUnchecked } from './RowFile.js'

// model

/** A destination of a run: a file, or a folder of parts. */
export interface Destination<A> {
  /** Writes rows of one page, which passed the `check` of the format, of time slice `slice`. Slices may be written side by side. */
  readonly write: (rows: ReadonlyArray<A>, slice: number) => Promise<void>
  /** All that was given to `write` before this was called is durable when it resolves, and the mark holds that and nothing else. */
  readonly commit: () => Promise<DestinationMark>
  /** Slice `slice` is complete, and its part is ended. */
  readonly endSlice: (slice: number) => Promise<void>
  /** Ends all that is open, durably. */
  readonly finish: () => Promise<DestinationMark>
  /** Gives the files that have ended their own names, once a checkpoint has them. Resolves with them, in order. */
  readonly publish: () => Promise<ReadonlyArray<FileSummary>>
  /** Lists unfinished parts that no mark has: of processes that died, or were given up. */
  readonly leftovers: () => Promise<ReadonlyArray<string>>
  /** Leaves everything as it stands, and closes it. May be called again, and after `finish`. */
  readonly abandon: () => Promise<void>
}

interface Resumption {
  /** Resumes where it was committed. */
  readonly from?: DestinationMark | undefined
  /** True if another process may still write into what is open: it is copied, and resumed as another file. */
  readonly isShared?: boolean
  readonly files?: FileSystem
}

/** Which file, how rows are written to it, and where it is resumed. */
export interface ToFileOptions<A> extends Resumption {
  readonly path: string
  readonly format: Format<A>
}

/** Which folder, how rows are written to it, and where it is resumed. */
export interface ToFolderOptions<A> extends Resumption {
  /** Made if it is not there. */
  readonly path: string
  readonly format: Format<A>
  /** When a part is ended and another begun. */
  readonly rotation?: Rotation
  /** The beginning of names of parts: `part`, as in `part-00001-001.ndjson`. */
  readonly prefix?: string
  /** True if a part without rows is made where there are none: for a folder that has no other. */
  readonly neverEmpty?: boolean
}

// constructors

/**
 * Opens a file for all slices, in the order they are written. What is there under its name stays until it is published.
 * Throws an `InvalidOption` for a path whose name says another format.
 */
export const toFile = async <A>(options: ToFileOptions<A>): Promise<Destination<A>> => {
  const { path, format, files = disk } = options
  checkName('path', path, format)
  const name = basename(path)
  return openParts({
    ...options,
    folder: dirname(path),
    nameOf: () => name,
    isOwn: isUnfinishedName((final) => final === name),
    hasSlices: false,
    neverEmpty: true,
    mode: await modeOf(files, path),
  })
}

/**
 * Opens a folder with a file for each slice that has rows, or several. Parts that were open are cut back to the mark;
 * each is read once. Rejects with a `ChecksumMismatch` when a part is not what it was.
 */
export const toFolder = async <A>(options: ToFolderOptions<A>): Promise<Destination<A>> => {
  const { path, format, prefix = 'part', files = disk } = options
  await files.mkdir(path, { recursive: true })
  await syncFolder(files, dirname(path))
  return openParts({
    ...options,
    folder: path,
    nameOf: partName({ prefix, extension: format.extension }),
    isOwn: isUnfinishedName(isPartName({ prefix, extension: format.extension })),
    hasSlices: true,
    mode: undefined,
  })
}

interface PartsLayout<A> extends Resumption {
  readonly folder: string
  readonly format: Format<A>
  readonly rotation?: Rotation
  readonly neverEmpty?: boolean
  /** The name of a part when it is published. */
  readonly nameOf: (part: Pick<PartMark, 'slice' | 'piece'>) => string
  /** Returns whether a name is one that an unfinished part of this destination has. */
  readonly isOwn: (name: string) => boolean
  /** True if slices have parts of their own. */
  readonly hasSlices: boolean
  /** The permissions of its files. */
  readonly mode: number | undefined
}

const openParts = async <A>(layout: PartsLayout<A>): Promise<Destination<A>> => {
  const { folder, format, rotation = {}, nameOf, isOwn, hasSlices, mode } = layout
  const { from, isShared = false, neverEmpty = false, files = disk } = layout
  const known = from?.parts ?? []
  const published = new Set<string>()
  const slices = new Map<number, Parts<A>>()

  const open = async (part: Pick<PartMark, 'slice' | 'piece'>, mark?: PartMark) => {
    const fresh = unfinishedName(nameOf(part))
    if (mark !== undefined && isShared) {
      await (await openMarked(files, join(folder, mark.name), 'r')).close() // or it says that it is gone
      await copyDurably(files, join(folder, mark.name), join(folder, fresh))
      await syncFolder(files, folder)
    }
    const name = mark === undefined || isShared ? fresh : mark.name
    const path = join(folder, name)
    const how = mark === undefined ? { isNew: true, mode } : { from: mark }
    return { name, file: await openUnchecked({ path, format, files, ...how }) }
  }

  const slice = (number: number): Parts<A> => {
    const parts =
      slices.get(number) ??
      partsOf<A>({
        slice: number,
        rotation,
        open,
        from: known.filter((part) => part.slice === number),
      })
    slices.set(number, parts)
    return parts
  }
  const inOrder = (): ReadonlyArray<Parts<A>> =>
    [...slices].sort(([a], [b]) => a - b).map(([, parts]) => parts)
  const abandon = (): Promise<void> => abandonAll(slices.values())
  const commit = async (): Promise<DestinationMark> => {
    const marks = await Promise.all(inOrder().map((parts) => parts.commit()))
    return { parts: marks.flat() }
  }
  const endedParts = (): ReadonlyArray<PartMark> => inOrder().flatMap((parts) => parts.ended())

  try {
    for (const part of known) {
      const final = nameOf(part)
      const path = join(folder, part.name)
      if (!isUnfinishedName((name) => name === final)(part.name)) {
        throw checksumMismatch(path, `has no name for ${final}`)
      }
      if (!part.ended) continue
      const isUnpublished = await isThere(files, path)
      if (!isUnpublished) published.add(part.name)
      await checkEnded(isUnpublished ? path : join(folder, final), part, files)
    }
    for (const part of known) await slice(part.slice).ready
  } catch (error) {
    await abandon().catch(() => {}) // what was wrong before is told
    throw error
  }

  return {
    write: async (rows, number) => {
      if (rows.length > 0) await slice(hasSlices ? number : 0).write(rows)
    },
    commit,
    endSlice: async (number) => {
      if (hasSlices) await slices.get(number)?.end()
    },
    finish: async () => {
      for (const part of endedParts()) {
        const name = published.has(part.name) ? nameOf(part) : part.name
        await checkNoConflict(files, join(folder, name), part.bytes)
      }
      if (neverEmpty && endedParts().length === 0) await slice(0).begin()
      await Promise.all(inOrder().map((parts) => parts.end()))
      return commit()
    },
    publish: async () => {
      const ended = endedParts()
      const waiting = ended.filter(({ name }) => !published.has(name))
      for (const part of waiting) {
        const path = join(folder, part.name)
        await checkNoConflict(files, path, part.bytes)
        await files.rename(path, join(folder, nameOf(part)))
        published.add(part.name)
      }
      if (waiting.length > 0) await syncFolder(files, folder)
      return ended.map((part) => {
        const { rows, bytes, sha256 } = part
        return { path: join(folder, nameOf(part)), rows, bytes, sha256 }
      })
    },
    leftovers: async () => {
      const kept = new Set([
        ...endedParts().map((part) => part.name),
        ...inOrder().map((parts) => parts.current()),
      ])
      const isLeft = (name: string): boolean => isOwn(name) && !kept.has(name)
      return (await filesNamed(files, folder, isLeft)).map((name) => join(folder, name))
    },
    abandon,
  }
}

// combinators

/** Gives up one after the other, also after one that cannot be closed; then fails with the first error. */
export const abandonAll = async (
  all: Iterable<Pick<Destination<never>, 'abandon'>>,
): Promise<void> => {
  const errors: Array<unknown> = []
  for (const one of all) {
    try {
      await one.abandon()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
