/** Files that only their owner can read, written whole or not at all. */
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { unfinishedName } from '../../store/FileSystem.js'

const OWNER_ONLY = 0o600

/** Text that is kept before it is written. */
const BUFFER = 1 << 16

/** A file of lines under a name of its own until it is complete. */
export class PrivateFile {
  readonly #path: string
  readonly #unfinished: string
  #handle: FileHandle | undefined
  #lines = ''

  constructor(path: string) {
    this.#path = path
    this.#unfinished = unfinishedName(path)
  }

  /** Adds a line. The file is made with the first. */
  async add(line: string): Promise<void> {
    this.#lines += `${line}\n`
    if (this.#lines.length >= BUFFER) await this.#flush()
  }

  /** Puts the file in its place. */
  async publish(): Promise<void> {
    await this.#flush()
    await this.#handle?.sync()
    await this.#handle?.close()
    await rename(this.#unfinished, this.#path)
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    await this.#handle?.close()
    await rm(this.#unfinished, { force: true })
  }

  async #flush(): Promise<void> {
    this.#handle ??= await open(this.#unfinished, 'wx', OWNER_ONLY)
    await this.#handle.write(this.#lines)
    this.#lines = ''
  }
}
