/** Files that only their owner can read. They are written completely or not at all, and never over an unrelated file. */
import { extname } from 'node:path'
import {
  codeOf,
  type FileHandle,
  type FileSystem,
  isLink,
  readFully,
  unfinishedName,
  writeFully,
} from '../../store/FileSystem.js'

const OWNER_ONLY = 0o600

/** Size of the write buffer, in characters. */
const BUFFER = 1 << 16

/** Decides about an existing file of this name: replace it, keep it (same content), or write under another name. */
export type Judge = (old: OldFile) => Promise<'replace' | 'same' | 'other'>

/** An existing regular file. */
export interface OldFile {
  readonly lines: () => AsyncIterable<string>
}

/** A file of lines. It has a temporary name until it is complete. */
export class PrivateFile {
  readonly #files: FileSystem
  readonly #path: string
  readonly #unfinished: string
  #handle: FileHandle | undefined
  #size = 0
  #lines = ''
  #failure: unknown

  constructor(files: FileSystem, path: string) {
    this.#files = files
    this.#path = path
    this.#unfinished = unfinishedName(path)
  }

  /** Adds a line. If writing fails, `publish` rejects and `withdraw` returns the line. */
  async add(line: string): Promise<void> {
    this.#lines += `${line}\n`
    if (this.#lines.length >= BUFFER) await this.#flush()
  }

  /** Checks that the file can be written, and removes it again. Rejects if it cannot be written. */
  async tryOut(): Promise<void> {
    try {
      await this.add(' '.repeat(TRIED))
      await this.#flush()
      await this.#handle?.sync()
      if (this.#failure !== undefined) throw this.#failure
    } finally {
      await this.withdraw()
      this.#failure = undefined
    }
  }

  /** Gives the file its final name, with a number added if another file has that name. Resolves with the path. */
  async publish(judge: Judge): Promise<string> {
    await this.#flush()
    if (this.#failure !== undefined) throw this.#failure
    await this.#handle?.sync()
    for (let n = 1; ; n++) {
      const path = n === 1 ? this.#path : numbered(this.#path, n)
      const verdict = (await this.#isReserved(path))
        ? 'replace'
        : await judged(this.#files, path, judge)
      if (verdict === 'other') continue
      await this.#close()
      if (verdict === 'replace') await this.#files.rename(this.#unfinished, path)
      else await this.#files.rm(this.#unfinished, { force: true })
      return path
    }
  }

  /** Removes the file. Resolves with those of its lines that can be read back. */
  async withdraw(): Promise<string> {
    const lines = (await this.#written().catch(() => '')) + this.#lines
    this.#lines = ''
    this.#size = 0
    await this.#close().catch(() => {})
    await this.#files.rm(this.#unfinished, { force: true }).catch(() => {})
    return lines
  }

  async #written(): Promise<string> {
    if (this.#size === 0) return ''
    this.#handle ??= await this.#files.open(this.#unfinished, 'r')
    return Buffer.from(await readFully(this.#unfinished, this.#handle, 0, this.#size)).toString()
  }

  /** Creates an empty file if the name is free. Returns true if it was free. */
  async #isReserved(path: string): Promise<boolean> {
    try {
      await (await this.#files.open(path, 'wx+', OWNER_ONLY)).close()
      return true
    } catch (error) {
      if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ELOOP') return false
      throw error
    }
  }

  async #close(): Promise<void> {
    const handle = this.#handle
    this.#handle = undefined
    await handle?.close()
  }

  async #flush(): Promise<void> {
    if (this.#failure !== undefined) return
    try {
      this.#handle ??= await this.#files.open(this.#unfinished, 'wx+', OWNER_ONLY)
      const bytes = Buffer.from(this.#lines)
      await writeFully(this.#handle, bytes, this.#size)
      this.#size += bytes.length
      this.#lines = ''
    } catch (error) {
      this.#failure = error
    }
  }
}

/** Number of bytes written to test a location. */
const TRIED = 4_096

/** `wages.csv.rejected.2.csv`. */
const numbered = (path: string, n: number): string => {
  const extension = extname(path)
  return `${path.slice(0, path.length - extension.length)}.${n}${extension}`
}

const judged = async (
  files: FileSystem,
  path: string,
  judge: Judge,
): Promise<'replace' | 'same' | 'other'> => {
  if (await isLink(files, path)) return 'other'
  try {
    const handle = await files.open(path, 'r')
    try {
      return (await handle.stat()).isFile()
        ? await judge({ lines: () => linesOf(handle) })
        : 'other'
    } finally {
      await handle.close()
    }
  } catch {
    return 'other' // a folder, or not readable
  }
}

/** Maximum length of a line that is read back. Lines written by this program are shorter. */
const MOST_LINE = 1 << 20

async function* linesOf(handle: FileHandle): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const bytes = new Uint8Array(BUFFER)
  let rest = ''
  for (let at = 0; ; ) {
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, at)
    at += bytesRead
    const lines = (
      rest + decoder.decode(bytes.subarray(0, bytesRead), { stream: bytesRead > 0 })
    ).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
    if (rest.length > MOST_LINE) throw new Error('a line is too long')
    if (bytesRead === 0) break
  }
  if (rest !== '') yield rest
}
