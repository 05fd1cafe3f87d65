/** The files of a folder, or the objects below a prefix of a bucket, by their names: they grow, are moved and read. */
import type { Store } from '../../store/Store.js'

/** A file in a listing. */
export interface FoundFile {
  readonly name: string
  /** In bytes. */
  readonly size: number
}

/** A file that is open to be read. */
export interface ReadableFile {
  /** In bytes. */
  readonly size: number
  /** Identifies it, by whatever name. */
  readonly id: string
  /** False for a folder, a pipe or a device. */
  readonly isFile: boolean
  /** Reads so many bytes. Rejects with a `ChecksumMismatch` where the file ends before. */
  readonly read: (position: number, length: number) => Promise<Uint8Array<ArrayBuffer>>
  readonly close: () => Promise<void>
}

/** Up to where a file stands; plain JSON, for a state. */
export interface Mark {
  /** Bytes of the file up to there, compressed or not. */
  readonly bytes: number
  /** Rows in these bytes. */
  readonly rows: number
  /** SHA-256 of these bytes, in hex: tells the file from another in its place. */
  readonly sha256: string
}

/** The part of a mark that identifies the content of a file. */
export type Fingerprint = Pick<Mark, 'bytes' | 'sha256'>

/** A taker of bytes. They may be changed once it has answered. */
export interface Bytes {
  /** How many bytes it has taken. */
  readonly size: () => number
  /** Answers when it has taken them; what was taken before may have failed since. */
  readonly append: (bytes: Uint8Array) => Promise<void>
}

/** A file that is open for more bytes. */
export interface ByteFile extends Bytes {
  readonly read: (position: number, length: number) => Promise<Uint8Array<ArrayBuffer>>
  /** Takes away what stands behind the mark. To be called before anything is appended. */
  readonly cut: () => Promise<void>
  /** Its bytes and its name are durable. Throws a `FileConflict`. */
  readonly sync: () => Promise<void>
  /** SHA-256 of all bytes so far, in hex. */
  readonly digest: () => string
  /** May be called again. */
  readonly close: () => Promise<void>
}

/** Tells names of ours from those of other programs. */
export type IsOurs = (name: string) => boolean

/** Names have at most one slash: that of `_incoming/`. */
export interface Files {
  /** Name of a file in messages: its path, or its URL; of the folder, for `''`. */
  readonly nameOf: (name: string) => string
  /** Makes the folder. Rejects with an `UnusablePath` where something else has its name. */
  readonly prepare: () => Promise<void>
  /** Small texts by their names. `mode`: permissions of their files. */
  readonly store: (mode?: number) => Store
  /**
   * Lists the files that have names of ours, also in `_incoming/`. Links and folders by such names are of other programs,
   * and left out. `prefix`: the beginning of these names.
   */
  readonly list: (isOurs: IsOurs, prefix?: string) => Promise<ReadonlyArray<FoundFile>>
  /** Lists the links and folders that have names of ours. */
  readonly foreign: (isOurs: IsOurs) => Promise<ReadonlyArray<string>>
  /** Resolves with the size of a file in bytes; undefined if there is none. */
  readonly size: (name: string) => Promise<number | undefined>
  /** Resolves with the permissions of a file that is there. */
  readonly mode: (name: string) => Promise<number | undefined>
  /** Returns whether a name is that of a folder. */
  readonly isFolder: (name: string) => Promise<boolean>
  /** Resolves with the path that a link leads to; undefined for what is no link. */
  readonly linked: (name: string) => Promise<string | undefined>
  /** Opens a file to read it; undefined if there is none. */
  readonly read: (name: string) => Promise<ReadableFile | undefined>
  /** Reads a small file whole; undefined if there is none. */
  readonly get: (name: string) => Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Writes a new file, durably and in one step. `mode`: its permissions. */
  readonly put: (name: string, bytes: Uint8Array<ArrayBuffer>, mode?: number) => Promise<void>
  /** Makes a file, empty, which is not there yet. `mode`: its permissions. */
  readonly create: (name: string, mode?: number) => Promise<ByteFile>
  /** Opens a file to go on where it was durable. Rejects with a `ChecksumMismatch` if it is not what it was. */
  readonly open: (name: string, from: Fingerprint) => Promise<ByteFile>
  /** Copies a file under a name of its own, durably: whoever has the old one open cannot reach the copy. */
  readonly copy: (from: string, to: string) => Promise<void>
  /** Gives a file another name, durably, in place of what has it. `bytes`: its size; a `FileConflict` if it has another. */
  readonly move: (from: string, to: string, bytes: number) => Promise<void>
  /** Removes a file, if it is there. */
  readonly remove: (name: string) => Promise<void>
  /** Names the files that were to be removed, and may not be. */
  readonly unremoved: () => ReadonlyArray<string>
}

/** The folder of unfinished files and rejected rows: readers of data sets leave out names with an underscore. */
export const INCOMING = '_incoming/'

/** Bytes that are read at a time. */
export const BLOCK = 1 << 20

/** Reads a file up to `end`, a block at a time. */
export async function* blocksOf(
  { read, size }: Pick<ReadableFile, 'read' | 'size'>,
  end = size,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < end; at += BLOCK) yield await read(at, Math.min(BLOCK, end - at))
}

/** Uses a file that is read, and closes it. Resolves with undefined if there is none. */
export const reading = async <T>(
  files: Pick<Files, 'read'>,
  name: string,
  use: (file: ReadableFile) => Promise<T>,
): Promise<T | undefined> => {
  const file = await files.read(name)
  return file && use(file).finally(file.close)
}
