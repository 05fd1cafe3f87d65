/**
 * JSON lines next to the rows: rejected rows, or keys. Each start of a run writes a new file, which begins with a copy of the
 * earlier file.
 */
import { jsonLines } from '../format/json.js'
import { type ByteFile, blocksOf, type FilePosition, type Files } from '../storage/Files.js'
import { checkCommitted } from '../storage/integrity.js'
import { type RowFile, rowsInto } from './RowFile.js'

/** Position in a log, and the log's file name until it is published. */
export interface LineMark extends FilePosition {
  readonly name: string
}

export interface LineLogOptions {
  readonly files: Files
  /** The file name after publishing. */
  readonly final: string
  /** Returns a random file name to use before publishing. */
  readonly unfinished: (final: string) => string
}

/** Permissions. Rejected rows are stored as received, so only the owner may read them. */
const PRIVATE = 0o600

export class LineLog {
  readonly #options: LineLogOptions
  #open:
    | { readonly name: string; readonly bytes: ByteFile; readonly rows: RowFile<unknown> }
    | undefined
  #mark: LineMark | undefined
  #isPublished = false

  constructor(options: LineLogOptions) {
    this.#options = options
  }

  get name(): string | undefined {
    return this.#open?.name
  }

  /** Rejects with a `ChecksumMismatch` unless the lines of an earlier start are unchanged. */
  async check(from: LineMark): Promise<void> {
    await this.#found(from, (name) => checkCommitted(this.#options.files, name, from))
  }

  /** Continues with a copy of the lines of an earlier start. */
  async resume(from: LineMark): Promise<void> {
    const { files, final, unfinished } = this.#options
    const name = unfinished(final)
    await this.#found(from, (found) => files.copy(found, name))
    await this.#begin(name, await files.open(name, from), from)
  }

  async write(lines: ReadonlyArray<unknown>): Promise<void> {
    const { files, final, unfinished } = this.#options
    if (this.#open === undefined) {
      const name = unfinished(final)
      await this.#begin(name, await files.create(name, PRIVATE), undefined)
    }
    await this.#open?.rows.write(lines)
  }

  /** Makes all lines durable. Resolves with `undefined` if there are none. */
  async commit(): Promise<LineMark | undefined> {
    const open = this.#open
    if (open === undefined) return undefined
    this.#mark = { name: open.name, ...(await open.rows.commit()) }
    return this.#mark
  }

  /** Gives the file its final name. May be repeated after a kill, or by a later owner. */
  async publish(): Promise<void> {
    const { files, final } = this.#options
    if (this.#mark === undefined || this.#isPublished) return
    const { name, bytes } = this.#mark
    if ((await files.size(name)) !== undefined) await files.move(name, final, bytes)
    this.#isPublished = true
  }

  /** Reads the lines that an earlier start wrote. */
  async read(take: (line: unknown) => void): Promise<void> {
    const open = this.#open
    if (open === undefined) return
    const decoder = new TextDecoder()
    let begun = ''
    for await (const block of blocksOf({ read: open.bytes.read, size: open.bytes.size() })) {
      const lines = `${begun}${decoder.decode(block, { stream: true })}`.split('\n')
      begun = lines.pop() ?? ''
      for (const line of lines) take(JSON.parse(line))
    }
  }

  async close(): Promise<void> {
    await this.#open?.rows.abandon()
  }

  /** Uses the file of an earlier start, even if a frozen owner publishes it in the meantime. */
  async #found(from: LineMark, work: (name: string) => Promise<void>): Promise<void> {
    const name = await this.#nameOf(from)
    await work(name).catch(async (error: unknown) => {
      const now = await this.#nameOf(from)
      if (now === name) throw error
      await work(now)
    })
  }

  /** Returns the current name, which is the final one if the file was published. */
  async #nameOf({ name }: LineMark): Promise<string> {
    const { files, final } = this.#options
    const isUnpublished =
      (await files.size(name)) !== undefined || (await files.size(final)) === undefined
    return isUnpublished ? name : final
  }

  async #begin(name: string, bytes: ByteFile, from: FilePosition | undefined): Promise<void> {
    const { files } = this.#options
    const format = jsonLines()
    this.#open = { name, bytes, rows: await rowsInto(files.nameOf(name), format, bytes, from) }
  }
}
