/** The files of a folder, or the objects below a prefix of a bucket, by name. They can grow, and be renamed and read. */
import type { Store } from '../../store/Store.js'

/** A file in a listing. */
export interface FoundFile {
  readonly name: string
  /** Size in bytes. */
  readonly size: number
}

export interface ReadableFile {
  /** Size in bytes. */
  readonly size: number
  /** Identifies the file, regardless of its name. */
  readonly id: string
  /** False for a folder, a pipe or a device. */
  readonly isFile: boolean
  /** Reads this number of bytes. Rejects with a `ChecksumMismatch` if the file is shorter. */
  readonly read: (position: number, length: number) => Promise<Uint8Array<ArrayBuffer>>
  readonly close: () => Promise<void>
}

/** A position in a file; plain JSON, for a state. */
export interface FilePosition {
  /** Bytes of the file up to this position, after any compression. */
  readonly bytes: number
  /** Rows in these bytes. */
  readonly rows: number
  /** SHA-256 of these bytes, in hex. Used to detect that the file was replaced. */
  readonly sha256: string
}

/** The part of a mark that identifies the content of a file. */
export type Fingerprint = Pick<FilePosition, 'bytes' | 'sha256'>

/** Accepts bytes. The caller may reuse them once the promise has resolved. */
export interface Bytes {
  /** Number of bytes accepted. */
  readonly size: () => number
  /** Resolves once the bytes are accepted. Bytes that were accepted earlier may have failed since. */
  readonly append: (bytes: Uint8Array) => Promise<void>
}

/** A file opened for appending. */
export interface ByteFile extends Bytes {
  readonly read: (position: number, length: number) => Promise<Uint8Array<ArrayBuffer>>
  /** Truncates the file after the mark. Must be called before anything is appended. */
  readonly cut: () => Promise<void>
  /** Makes its bytes and its name durable. Throws a `FileConflict`. */
  readonly sync: () => Promise<void>
  /** SHA-256 of all bytes so far, in hex. */
  readonly digest: () => string
  /** Closes the file. May be called again. */
  readonly close: () => Promise<void>
}

/** Returns true if a name is ours and not another program's. */
export type IsOurs = (name: string) => boolean

/** The files of a folder. Names have at most one slash, after `_incoming/`. */
export interface Files {
  /** Returns the name of a file in messages: its path or its URL. For `''`, returns that of the folder. */
  readonly nameOf: (name: string) => string
  /** Creates the folder. Rejects with an `UnusablePath` if something other than a folder has its name. */
  readonly prepare: () => Promise<void>
  /** Returns the store of small texts. `mode`: permissions of their files. */
  readonly store: (mode?: number) => Store
  /**
   * Lists the files with our names, including those in `_incoming/`. Skips links and folders with our names, because they
   * belong to other programs. `prefix`: the start of the names.
   */
  readonly list: (isOurs: IsOurs, prefix?: string) => Promise<ReadonlyArray<FoundFile>>
  /** Lists links and folders that have our names. */
  readonly foreign: (isOurs: IsOurs) => Promise<ReadonlyArray<string>>
  /** Resolves with the size of a file in bytes; `undefined` if it does not exist. */
  readonly size: (name: string) => Promise<number | undefined>
  /** Resolves with the permissions of an existing file. */
  readonly mode: (name: string) => Promise<number | undefined>
  readonly isFolder: (name: string) => Promise<boolean>
  /** Resolves with the target of a link; `undefined` if it is not a link. */
  readonly linked: (name: string) => Promise<string | undefined>
  /** Opens a file for reading; `undefined` if it does not exist. */
  readonly read: (name: string) => Promise<ReadableFile | undefined>
  /** Reads a small file; `undefined` if it does not exist. */
  readonly get: (name: string) => Promise<Uint8Array<ArrayBuffer> | undefined>
  /** Writes a new file durably, in one step. `mode`: its permissions. */
  readonly put: (name: string, bytes: Uint8Array<ArrayBuffer>, mode?: number) => Promise<void>
  /** Creates an empty file, which must not exist. `mode`: its permissions. */
  readonly create: (name: string, mode?: number) => Promise<ByteFile>
  /** Opens a file to continue after its durable part. Rejects with a `ChecksumMismatch` if that part has changed. */
  readonly open: (name: string, from: Fingerprint) => Promise<ByteFile>
  /** Copies a file durably to a new name. A process that has the old file open cannot write to the copy. */
  readonly copy: (from: string, to: string) => Promise<void>
  /** Renames a file durably, replacing an existing one. Rejects with a `FileConflict` unless the file has `bytes` bytes. */
  readonly move: (from: string, to: string, bytes: number) => Promise<void>
  /** Removes a file if it exists. */
  readonly remove: (name: string) => Promise<void>
  /** Removes `_incoming/` if it is empty. Called by the owner at the end of a run. */
  readonly tidy: () => Promise<void>
  /** Lists files that could not be removed for lack of permission. */
  readonly unremoved: () => ReadonlyArray<string>
}

/** The folder of unfinished files and rejected rows. Readers of data sets ignore names that start with an underscore. */
export const INCOMING = '_incoming/'

/** Number of bytes read at a time. */
const BLOCK = 1 << 20

/** Reads a file up to `end`, block by block. */
export async function* blocksOf(
  { read, size }: Pick<ReadableFile, 'read' | 'size'>,
  end = size,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < end; at += BLOCK) yield await read(at, Math.min(BLOCK, end - at))
}

/** Opens a file, uses it and closes it. Resolves with `undefined` if it does not exist. */
export const reading = async <T>(
  files: Pick<Files, 'read'>,
  name: string,
  use: (file: ReadableFile) => Promise<T>,
): Promise<T | undefined> => {
  const file = await files.read(name)
  return file && use(file).finally(file.close)
}
