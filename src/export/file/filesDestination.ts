/**
 * A file, or a folder of parts, on a disk or in a bucket. Rows go into unfinished files; the state has their names and
 * durable offsets. A part that is complete gets its own name once the state says so; the one file, at the end.
 *
 * A start after one that may still be frozen writes on in copies, under names of their own. Files are listed before a step
 * is kept and removed after it: none of a later owner is among them. No name is removed that a later run may give again.
 */

import { fieldsOf } from '../../decode/unknown.js'
import { withoutUndefined } from '../../fp.js'
import { rowId } from '../../http/answer/readAnswer.js'
import { unfinishedName } from '../../store/FileSystem.js'
import type { Store } from '../../store/Store.js'
import { checksumMismatch } from '../../store/StoreError.js'
import type { Millis } from '../../stream/index.js'
import { truncated } from '../column/json.js'
import { exportError } from '../ExportError.js'
import type { Format } from '../format/Format.js'
import { type Files, type FoundFile, INCOMING } from '../storage/Files.js'
import { checkCommitted, checkEnded, checkSize, isMark } from '../storage/integrity.js'
import type {
  Destination,
  DestinationFile,
  ListedFiles,
  Prepared,
  Taken,
} from '../transfer/Destination.js'
import { LineLog, type LineMark } from './LineLog.js'
import { isPartMark, type PartMark, type Parts, partsOf, type Rotation } from './parts.js'
import { rowsInto } from './RowFile.js'

// model

/** Names of the files of a destination. */
export interface FileLayout {
  /** The name of a part when it is complete; `run`: which of its folder it is of, from 1. */
  readonly partName: (part: Pick<PartMark, 'slice' | 'number'>, run: number) => string
  /** How the manifest names the one file, which may be behind a link. */
  readonly shownAs?: string
  /** The file of rejected rows of a run. */
  readonly rejects: (run: number) => string
  /** The file of keys. */
  readonly keys: string
  /** True if slices have parts of their own, in a folder. */
  readonly isFolder: boolean
  /** True if unfinished files lie in `_incoming/`; else beside the one file. */
  readonly hasIncoming: boolean
  /** The run that a file in the folder is of, from 1; undefined if it is of none. */
  readonly runOf: (name: string) => number | undefined
}

export interface FilesDestinationOptions<A> {
  /** Names it in messages. */
  readonly name: string
  readonly files: Files
  readonly store: Store
  readonly format: Format<A>
  readonly layout: FileLayout
  readonly rotation: Rotation
  readonly commitEvery: Millis
  /** Files of earlier runs that stay, and how many runs these were. Asked once it is owned. */
  readonly before: () => { readonly names: ReadonlySet<string>; readonly runs: number }
}

/** State after a step. */
interface Own {
  /** Which run of its folder it is, from 1. */
  readonly run: number
  /** True if no earlier run stays: then there is a part even without rows. */
  readonly isFirst: boolean
  /** In the order in which they were begun. */
  readonly parts: ReadonlyArray<PartMark>
  readonly rejects?: LineMark
  readonly keys?: LineMark
  /** Files that this run replaces, until they are gone. */
  readonly replaced?: ReadonlyArray<string>
}

// names

/** The end of the name of an unfinished file. */
const UNFINISHED = /^(?:_incoming\/)?([^/\\\0]+)\.[0-9a-f]{12}\.part$/

/** Returns the name that an unfinished file will have. */
const finalOf = (name: string): string | undefined => UNFINISHED.exec(name)?.[1]

// constructors

export class FilesDestination<A> implements Destination<A> {
  readonly name: string
  readonly store: Store
  readonly commitEvery: Millis
  readonly check: Destination<A>['check']
  readonly #options: FilesDestinationOptions<A>
  readonly #slices = new Map<number, Parts<A>>()
  readonly #published = new Set<string>()
  #run = 1
  #isFirst = true
  #known: ReadonlyArray<PartMark> = []
  #replaced: ReadonlyArray<string> = []
  #mode: number | undefined
  #isShared = false
  /** Unfinished files that were kept in a state, or need not be removed by this owner. */
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
    this.#rejects = this.#log(options.layout.rejects(1), 'exact')
    this.#keys = this.#log(options.layout.keys, 'fast')
  }

  resume = async (found: unknown, { tookOver, restart }: Taken): Promise<void> => {
    const { files, layout, before } = this.#options
    this.#isShared = tookOver
    if (!layout.isFolder) this.#mode = await files.mode(layout.partName(ONE, 1))
    const own = found === undefined ? undefined : ownOf(this.name, found)
    if (own === undefined) {
      const { names, runs } = before()
      const there = (await files.list((name) => layout.runOf(name) !== undefined)).map(nameOf)
      const numbers = there.map((name) => layout.runOf(name) ?? 0)
      this.#run = 1 + Math.max(runs, ...numbers)
      this.#isFirst = runs === 0
      if (restart) this.#replaced = there.filter((name) => !names.has(name))
      this.#rejects = this.#log(layout.rejects(this.#run), 'exact')
      return
    }
    this.#run = own.run
    this.#isFirst = own.isFirst
    this.#known = own.parts
    this.#replaced = own.replaced ?? []
    this.#rejects = this.#log(layout.rejects(own.run), 'exact')
    this.#kept = new Set(own.parts.map((part) => part.name))
    if (own.rejects !== undefined) await this.#rejects.check(own.rejects)
    if (own.keys !== undefined) await this.#keys.check(own.keys)
    for (const part of own.parts) await this.#checkPart(part)
    for (const part of own.parts) await this.#slice(part.slice).ready // cut back
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
    const { files, layout } = this.#options
    for (const part of this.#ended()) {
      const check = async (name: string): Promise<void> =>
        checkSize(files.nameOf(name), await files.size(name), part.bytes)
      await this.#unlessPublished(part, check)
      if (this.#published.has(part.name)) await check(this.#final(part))
    }
    const needsPart = this.#isFirst || !layout.isFolder
    if (needsPart && this.#ended().length === 0) await this.#slice(0).begin()
    // rejected rows may be read again, and go to the end of the one file
    const how = layout.isFolder || this.#rejects.name === undefined ? undefined : 'unclosed'
    await Promise.all(this.#inOrder().map((slice) => slice.end(how)))
    const keys = this.#keys.name
    const stale = (await files.size(this.#rejectsName)) !== undefined
    const step = await this.#prepared(this.#ended(), undefined, true)
    return {
      ...step,
      settle: async () => {
        await step.settle?.()
        if (keys !== undefined) await files.remove(keys) // without a position, they are not needed
        if (stale && this.#rejects.name === undefined) await files.remove(this.#rejectsName)
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

  #log(final: string, numbers: 'exact' | 'fast'): LineLog {
    const { files } = this.#options
    return new LineLog({ files, final, numbers, unfinished: (name) => this.#unfinished(name) })
  }

  #unfinished(final: string): string {
    const name = unfinishedName(final.replace(INCOMING, ''))
    return this.#options.layout.hasIncoming ? `${INCOMING}${name}` : name
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
    const isPublished = mark?.isPublished === true
    const copies = isPublished || this.#isShared
    if (mark !== undefined && copies) {
      await files.copy(isPublished ? this.#final(part) : mark.name, fresh)
    }
    const name = mark === undefined || copies ? fresh : mark.name
    const bytes = await (mark === undefined
      ? files.create(name, this.#mode)
      : files.open(name, mark))
    return { name, file: await rowsInto(files.nameOf(name), format, bytes, mark) }
  }

  /** Rejects with a `ChecksumMismatch` where a part is not what the state says. */
  async #checkPart(part: PartMark): Promise<void> {
    const { files } = this.#options
    const final = this.#final(part)
    if (finalOf(part.name) !== final) {
      throw checksumMismatch(files.nameOf(part.name), `has no name for ${final}`)
    }
    if (part.isPublished) return checkCommitted(files, final, part)
    if (!part.ended) return
    if ((await files.size(part.name)) === undefined) this.#published.add(part.name)
    await this.#unlessPublished(part, (name) => checkEnded(files, name, part))
    if (this.#published.has(part.name)) await checkEnded(files, final, part)
  }

  /**
   * Does something with a part that has ended, by its unfinished name, unless it has its final one: an owner that was frozen may
   * give it that at any time. Then the work fails, and is not needed: both have the same bytes.
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
      ...{ run: this.#run, isFirst: this.#isFirst, parts },
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

  /** Gives parts that have ended their names. */
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
      const { rows, bytes, sha256, ended, unclosed } = part
      const { shownAs = this.#final(part) } = this.#options.layout
      const path = ended ? shownAs : part.name
      return { path, rows, bytes, ...(ended ? { sha256 } : {}), ...withoutUndefined({ unclosed }) }
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
  const { run, isFirst, parts, rejects, keys, replaced = [] } = fieldsOf(u)
  const isLine = (line: unknown): line is LineMark | undefined =>
    line === undefined || (isMark(line) && finalOf(String(fieldsOf(line).name)) !== undefined)
  const isIntact =
    Number.isSafeInteger(run) &&
    typeof isFirst === 'boolean' &&
    Array.isArray(parts) &&
    parts.every(isPartMark) &&
    isLine(rejects) &&
    isLine(keys) &&
    Array.isArray(replaced) &&
    replaced.every(
      (name) => typeof name === 'string' && !/^\.|[/\\\0]/.test(name.replace(INCOMING, '')),
    )
  if (isIntact) return u as Own // as it was checked
  throw exportError('Damaged', `${path} has no state of this version`, { path })
}

/** Gives up one after the other, also after one that cannot be closed; then fails with the first error. */
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
