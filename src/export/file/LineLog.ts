/** Lines of JSON beside the rows: rejected rows, or keys. Each start writes a file of its own, which begins with a copy. */
import type { Numbers } from '../column/decimal.js'
import { jsonLines } from '../format/json.js'
import { type ByteFile, blocksOf, type Files, type Mark } from '../storage/Files.js'
import { checkCommitted } from '../storage/integrity.js'
import { type RowFile, rowsInto } from './RowFile.js'

/** Up to where a log stands, and its name until it is published. */
export interface LineMark extends Mark {
  readonly name: string
}

/** Which file, and how numbers are written to it. */
export interface LineLogOptions {
  readonly files: Files
  /** Its name when it is published. */
  readonly final: string
  /** Draws a name for it until then. */
  readonly unfinished: (final: string) => string
  readonly numbers: Numbers
}

/** They are there as they came. */
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

  /** The name of the file that is open. */
  get name(): string | undefined {
    return this.#open?.name
  }

  /** Rejects with a `ChecksumMismatch` unless what an earlier start has written is there. */
  async check(from: LineMark): Promise<void> {
    await this.#found(from, (name) => checkCommitted(this.#options.files, name, from))
  }

  /** Goes on with a copy of what an earlier start has written. */
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

  /** Makes all lines durable. Resolves with undefined if there are none. */
  async commit(): Promise<LineMark | undefined> {
    const open = this.#open
    if (open === undefined) return undefined
    this.#mark = { name: open.name, ...(await open.rows.commit()) }
    return this.#mark
  }

  /** Gives the file its own name. Done again after a kill, or by a later owner. */
  async publish(): Promise<void> {
    const { files, final } = this.#options
    if (this.#mark === undefined || this.#isPublished) return
    const { name, bytes } = this.#mark
    if ((await files.size(name)) !== undefined) await files.move(name, final, bytes)
    this.#isPublished = true
  }

  /** Reads the lines that an earlier start has written. */
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

  /** Does something with what an earlier start has written, which an owner that was frozen may publish meanwhile. */
  async #found(from: LineMark, work: (name: string) => Promise<void>): Promise<void> {
    const name = await this.#nameOf(from)
    await work(name).catch(async (error: unknown) => {
      const now = await this.#nameOf(from)
      if (now === name) throw error
      await work(now)
    })
  }

  /** It may have been published. */
  async #nameOf({ name }: LineMark): Promise<string> {
    const { files, final } = this.#options
    const isUnpublished =
      (await files.size(name)) !== undefined || (await files.size(final)) === undefined
    return isUnpublished ? name : final
  }

  async #begin(name: string, bytes: ByteFile, from: Mark | undefined): Promise<void> {
    const { files, numbers } = this.#options
    const format = jsonLines(numbers)
    this.#open = { name, bytes, rows: await rowsInto(files.nameOf(name), format, bytes, from) }
  }
}
