/**
 * A file, or a folder of parts, on a disk or in a bucket. Rows go into unfinished files; the state has their names and durable
 * offsets. A complete part gets its final name once the state records it; a single file gets its name at the end.
 *
 * A run that takes over from an owner that may only be frozen continues in copies with new names. Files to remove are listed
 * before a step is saved and removed after it, so none of them belongs to a later owner. A name that a later run may reuse is
 * never removed.
 */

import { fieldsOf } from '../../decode/unknown.js'
import { rowId } from '../../http/answer/readAnswer.js'
import { unfinishedName } from '../../store/FileSystem.js'
import type { Store } from '../../store/Store.js'
import { checksumMismatch } from '../../store/StoreError.js'
import type { Millis } from '../../stream/index.js'
import { truncated } from '../column/json.js'
import { exportError } from '../ExportError.js'
import type { Format } from '../format/Format.js'
import { type Files, type FoundFile, INCOMING } from '../storage/Files.js'
import { checkEnded, checkSize, isMark } from '../storage/integrity.js'
import type {
  Destination,
  DestinationFile,
  ListedFiles,
  Ownership,
  Prepared,
} from '../transfer/Destination.js'
import { LineLog, type LineMark } from './LineLog.js'
import { isPartMark, type PartMark, type Parts, partsOf, type Rotation } from './parts.js'
import { finalOf } from './paths.js'
import { rowsInto } from './RowFile.js'

export interface FileLayout {
  /** Returns the final name of a part. `run`: number of the run in its folder, from 1. */
  readonly partName: (part: Pick<PartMark, 'slice' | 'number'>, run: number) => string
  /** Name of the single file in the manifest, which may differ because the file is behind a link. */
  readonly shownAs?: string
  readonly rejects: (run: number) => string
  readonly keys: string
  /**
   * True for a folder. There, slices have their own parts, and unfinished files are in `_incoming/`. The unfinished files of a
   * single file are next to it.
   */
  readonly isFolder: boolean
  /** Returns the number of the run that a file in the folder belongs to, from 1; `undefined` if it belongs to none. */
  readonly runOf: (name: string) => number | undefined
}

export interface FilesDestinationOptions<A> {
  /** Name of the destination in messages. */
  readonly name: string
  readonly files: Files
  readonly store: Store
  readonly format: Format<A>
  readonly layout: FileLayout
  readonly rotation: Rotation
  readonly commitEvery: Millis
}

/** The destination's state after a step. */
interface Own {
  /** Number of the run in its folder, from 1. */
  readonly run: number
  /** Parts, in the order in which they were started. */
  readonly parts: ReadonlyArray<PartMark>
  readonly rejects?: LineMark
  readonly keys?: LineMark
  /** Files that this run replaces and has not removed yet. */
  readonly replaced?: ReadonlyArray<string>
}

export class FilesDestination<A> implements Destination<A> {
  readonly name: string
  readonly store: Store
  readonly commitEvery: Millis
  readonly rows = 'appended'
  readonly check: Destination<A>['check']
  readonly #options: FilesDestinationOptions<A>
  readonly #slices = new Map<number, Parts<A>>()
  readonly #published = new Set<string>()
  #run = 1
  #known: ReadonlyArray<PartMark> = []
  #replaced: ReadonlyArray<string> = []
  #mode: number | undefined
  #isShared = false
  /** Unfinished files that a state lists, or that this owner does not have to remove. */
  #kept: ReadonlySet<string> = new Set()
  #isSwept = false
  #rejects: LineLog
  #keys: LineLog

  constructor(options: FilesDestinationOptions<A>) {
    this.#options = options
    this.name = options.name
    this.store = options.store
    this.commitEvery = options.commitEvery
    this.check = options.format.check
    this.#rejects = this.#log(options.layout.rejects(1))
    this.#keys = this.#log(options.layout.keys)
  }

  resume = async (found: unknown, { tookOver, restart }: Ownership): Promise<void> => {
    const { files, layout } = this.#options
    this.#isShared = tookOver
    if (!layout.isFolder) this.#mode = await files.mode(layout.partName(ONE, 1))
    const own = found === undefined ? undefined : ownOf(this.name, found)
    if (own === undefined) {
      const there = (await files.list((name) => layout.runOf(name) !== undefined)).map(nameOf)
      const numbers = there.map((name) => layout.runOf(name) ?? 0)
      this.#run = 1 + Math.max(0, ...numbers)
      if (restart) this.#replaced = there
      this.#rejects = this.#log(layout.rejects(this.#run))
      return
    }
    this.#run = own.run
    this.#known = own.parts
    this.#replaced = own.replaced ?? []
    this.#rejects = this.#log(layout.rejects(own.run))
    this.#kept = new Set(own.parts.map((part) => part.name))
    if (own.rejects !== undefined) await this.#rejects.check(own.rejects)
    if (own.keys !== undefined) await this.#keys.check(own.keys)
    for (const part of own.parts) await this.#checkPart(part)
    for (const part of own.parts) await this.#slice(part.slice).ready // truncated
    if (own.rejects !== undefined) await this.#rejects.resume(own.rejects)
    if (own.keys !== undefined) await this.#keys.resume(own.keys)
  }

  write: Destination<A>['write'] = async (rows, { number, isLast }) => {
    const { isFolder } = this.#options.layout
    if (rows.length > 0) await this.#slice(isFolder ? number : 0).write(rows)
    if (isLast && isFolder) await this.#slices.get(number)?.end()
  }

  reject: Destination<A>['reject'] = (rows) =>
    this.#rejects.write(rows.map((one) => ({ ...one, row: truncated(one.row) })))

  keys = {
    add: (keys: ReadonlyArray<string>): Promise<void> => this.#keys.write(keys),
    read: async (keys: Set<string>, rejectedIds: Set<string>): Promise<void> => {
      await this.#keys.read((key) => keys.add(String(key)))
      await this.#rejects.read((reject) => {
        const id = rowId(fieldsOf(reject).row)
        if (id !== undefined) rejectedIds.add(id)
      })
    },
  }

  commit: Destination<A>['commit'] = async (why) => {
    const parts = (await Promise.all(this.#inOrder().map((slice) => slice.commit()))).flat()
    return this.#prepared(parts, await this.#keys.commit(), why === 'stop')
  }

  finish = async (): Promise<Prepared> => {
    const { files } = this.#options
    for (const part of this.#ended()) {
      const check = async (name: string): Promise<void> =>
        checkSize(files.nameOf(name), await files.size(name), part.bytes)
      await this.#unlessPublished(part, check)
      if (this.#published.has(part.name)) await check(this.#final(part))
    }
    if (this.#ended().length === 0) await this.#slice(0).begin()
    await Promise.all(this.#inOrder().map((slice) => slice.end()))
    const keys = this.#keys.name
    const stale = (await files.size(this.#rejectsName)) !== undefined
    const step = await this.#prepared(this.#ended(), undefined, true)
    return {
      ...step,
      settle: async () => {
        await step.settle?.()
        if (keys !== undefined) await files.remove(keys) // not needed without a position
        if (stale && this.#rejects.name === undefined) await files.remove(this.#rejectsName)
        await files.tidy()
      },
    }
  }

  unremoved = (): ReadonlyArray<string> => this.#options.files.unremoved()

  close = async (why?: 'fenced'): Promise<void> => {
    const open = [...this.#slices.values()].map((slice) => slice.current())
    const all = [this.#rejects.name, this.#keys.name, ...open]
    await abandonAll([...this.#slices.values(), this.#rejects, this.#keys])
    if (why !== 'fenced') return
    for (const name of all) {
      if (name !== undefined && !this.#kept.has(name)) await this.#options.files.remove(name)
    }
  }

  // inside

  get #rejectsName(): string {
    return this.#options.layout.rejects(this.#run)
  }

  #log(final: string): LineLog {
    const { files } = this.#options
    return new LineLog({ files, final, unfinished: (name) => this.#unfinished(name) })
  }

  #unfinished(final: string): string {
    const name = unfinishedName(final.replace(INCOMING, ''))
    return this.#options.layout.isFolder ? `${INCOMING}${name}` : name
  }

  #final(part: Pick<PartMark, 'slice' | 'number'>): string {
    return this.#options.layout.partName(part, this.#run)
  }

  #inOrder(): ReadonlyArray<Parts<A>> {
    return [...this.#slices].sort(([a], [b]) => a - b).map(([, parts]) => parts)
  }

  #ended(): ReadonlyArray<PartMark> {
    return this.#inOrder().flatMap((slice) => slice.ended())
  }

  #slice(number: number): Parts<A> {
    const { rotation } = this.#options
    const known = this.#known.filter((part) => part.slice === number)
    const slice =
      this.#slices.get(number) ??
      partsOf<A>({
        ...{ slice: number, rotation, from: known },
        open: (part, mark) => this.#open(part, mark),
      })
    this.#slices.set(number, slice)
    return slice
  }

  async #open(part: Pick<PartMark, 'slice' | 'number'>, mark: PartMark | undefined) {
    const { files, format } = this.#options
    const fresh = this.#unfinished(this.#final(part))
    if (mark !== undefined && this.#isShared) await files.copy(mark.name, fresh)
    const name = mark === undefined || this.#isShared ? fresh : mark.name
    const bytes = await (mark === undefined
      ? files.create(name, this.#mode)
      : files.open(name, mark))
    return { name, file: await rowsInto(files.nameOf(name), format, bytes, mark) }
  }

  /** Rejects with a `ChecksumMismatch` if a part does not match the state. */
  async #checkPart(part: PartMark): Promise<void> {
    const { files } = this.#options
    const final = this.#final(part)
    if (finalOf(part.name) !== final) {
      throw checksumMismatch(
        files.nameOf(part.name),
        `does not have the name expected for ${final}`,
      )
    }
    if (!part.ended) return
    if ((await files.size(part.name)) === undefined) this.#published.add(part.name)
    await this.#unlessPublished(part, (name) => checkEnded(files, name, part))
    if (this.#published.has(part.name)) await checkEnded(files, final, part)
  }

  /**
   * Works on a finished part under its unfinished name, unless the part already has its final name. A frozen owner may publish
   * the part at any time. The work then fails, but it is not needed, because both parts have the same bytes.
   */
  async #unlessPublished(part: PartMark, work: (name: string) => Promise<void>): Promise<void> {
    if (this.#published.has(part.name)) return
    try {
      await work(part.name)
    } catch (error) {
      const isThere = await checkEnded(this.#options.files, this.#final(part), part).then(
        () => true,
        () => false,
      )
      if (!isThere) throw error
      this.#published.add(part.name)
    }
  }

  async #prepared(
    parts: ReadonlyArray<PartMark>,
    keys: LineMark | undefined,
    isEnd: boolean,
  ): Promise<Prepared> {
    const rejects = await this.#rejects.commit()
    const replaced = this.#replaced
    const own: Own = {
      ...{ run: this.#run, parts },
      ...(rejects === undefined ? {} : { rejects }),
      ...(keys === undefined ? {} : { keys }),
      ...(replaced.length === 0 ? {} : { replaced }),
    }
    const names = [...parts.map((part) => part.name), rejects?.name, keys?.name]
    const old = this.#isSwept ? [] : await this.#leftovers(new Set(names))
    return {
      own,
      settle: async () => {
        this.#kept = new Set(names.filter((name) => name !== undefined))
        this.#isSwept = true
        this.#replaced = []
        for (const name of [...replaced, ...old]) await this.#options.files.remove(name)
        await this.#publish()
        if (isEnd) await this.#rejects.publish()
      },
      files: () => this.#listed(parts, rejects, isEnd),
    }
  }

  async #leftovers(names: ReadonlySet<string | undefined>): Promise<ReadonlyArray<string>> {
    const { files, layout } = this.#options
    const one = layout.partName(ONE, 1)
    const isOwn = (final: string): boolean =>
      layout.isFolder
        ? layout.runOf(final) !== undefined || final === layout.keys.replace(INCOMING, '')
        : [one, layout.rejects(1), layout.keys].includes(final)
    const found = await files.list((name) => {
      const final = finalOf(name)
      return final !== undefined && isOwn(final) && !names.has(name)
    })
    return found.map(nameOf)
  }

  /** Gives finished parts their final names. */
  async #publish(): Promise<void> {
    const { files } = this.#options
    for (const part of this.#ended()) {
      await this.#unlessPublished(part, (name) => files.move(name, this.#final(part), part.bytes))
      this.#published.add(part.name)
    }
  }

  #listed(
    parts: ReadonlyArray<PartMark>,
    rejects: LineMark | undefined,
    isEnd: boolean,
  ): ListedFiles {
    const fileOf = (part: PartMark): DestinationFile => {
      const { rows, bytes, sha256, ended } = part
      const { shownAs = this.#final(part) } = this.#options.layout
      const path = ended ? shownAs : part.name
      return { path, rows, bytes, ...(ended ? { sha256 } : {}) }
    }
    if (rejects === undefined) return { files: parts.map(fileOf) }
    const { name, rows, bytes, sha256 } = rejects
    const path = isEnd ? this.#rejectsName : name
    return {
      files: parts.map(fileOf),
      rejected: { path, rows, bytes, ...(isEnd ? { sha256 } : {}) },
    }
  }
}

const nameOf = ({ name }: FoundFile): string => name

const ONE = { slice: 0, number: 1 }

/** Reads the state of a step; throws `Damaged`. */
const ownOf = (path: string, u: unknown): Own => {
  const { run, parts, rejects, keys, replaced = [] } = fieldsOf(u)
  const isLine = (line: unknown): line is LineMark | undefined =>
    line === undefined || (isMark(line) && finalOf(String(fieldsOf(line).name)) !== undefined)
  const isIntact =
    Number.isSafeInteger(run) &&
    Array.isArray(parts) &&
    parts.every(isPartMark) &&
    isLine(rejects) &&
    isLine(keys) &&
    Array.isArray(replaced) &&
    replaced.every(
      (name) => typeof name === 'string' && !/^\.|[/\\\0]/.test(name.replace(INCOMING, '')),
    )
  if (isIntact) return u as Own // as checked above
  throw exportError('Damaged', `${path} does not contain state that this version can read`, {
    path,
  })
}

/** Abandons all files, one after another, even if one of them cannot be closed. Then throws the first error. */
const abandonAll = async (
  all: ReadonlyArray<{ readonly abandon: () => Promise<void> } | LineLog>,
): Promise<void> => {
  const errors: Array<unknown> = []
  for (const one of all) {
    await ('abandon' in one ? one.abandon() : one.close()).catch((error: unknown) =>
      errors.push(error),
    )
  }
  if (errors.length > 0) throw errors[0]
}
