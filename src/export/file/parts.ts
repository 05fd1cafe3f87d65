/** The files of a folder: their names, and those of one slice of time, one after the other. */

import { fieldsOf } from '../../decode/unknown.js'
import { sliceRows } from '../../stream/rawRows.js'
import type { Fingerprint, Mark } from '../storage/Files.js'
import { isMark } from '../storage/integrity.js'
import type { RowFile } from './RowFile.js'
import { untilFailure } from './untilFailure.js'

// marks

/** Up to where one file of a destination stands. */
export interface PartMark extends Mark {
  /** The number of the time slice that its rows are of; 0 where slices are not kept apart. */
  readonly slice: number
  /** Which file of its slice it is, from 1: more than one when they are rotated. */
  readonly number: number
  /** Its name until it is published. */
  readonly name: string
  /** True if it is complete: nothing more is written to it. */
  readonly ended: boolean
  /** Where it stood before its end was written (closing bracket, footer), if more rows may come later. */
  readonly unclosed?: Fingerprint
  /** True if it has its own name already, and more rows come: they go into a copy. */
  readonly isPublished?: true
}

/** Returns whether what was read from a state is the mark of a part. */
export const isPartMark = (u: unknown): u is PartMark => {
  const { slice, number, name, ended, unclosed = { bytes: 0, sha256: '' } } = fieldsOf(u)
  return (
    isMark(u) &&
    Number.isSafeInteger(slice) &&
    Number.isSafeInteger(number) &&
    typeof name === 'string' &&
    /^(?:_incoming\/)?[^/\\\0]+\.[0-9a-f]{12}\.part$/.test(name) &&
    typeof ended === 'boolean' &&
    isMark({ rows: 0, ...fieldsOf(unclosed) })
  )
}

// names: they sort by slice, and by number within a slice

/** Names of the files of a folder. */
export interface Naming {
  /** The beginning of names. Default `part`. */
  readonly prefix?: string
  /** The end of names, after a dot: the `extension` of the format. */
  readonly extension: string
}

/** A letter for each digit more than usual: letters sort after digits. */
const LETTERS = ['', ...'abcdefghijklm']

/** With zeros before it, or a letter where it is longer than `width`, so that names sort as numbers do. */
export const sortable = (n: number, width: number): string => {
  const digits = String(n).padStart(width, '0')
  return `${LETTERS[digits.length - width]}${digits}`
}

/** `part-00003-001.csv.gz`; after number 999 comes `part-00003-a1000.csv.gz`. */
export const partName =
  ({ prefix = 'part', extension }: Naming) =>
  ({ slice, number }: Pick<PartMark, 'slice' | 'number'>): string =>
    `${prefix}-${sortable(slice, 5)}-${sortable(number, 3)}.${extension}`

// one slice

/** When a part is ended and another begun. */
export interface Rotation {
  /** Rows that a part may have. Default: no bound. */
  readonly rows?: number
  /** Bytes after which a part is ended, looked at after each page. Default: no bound. */
  readonly bytes?: number
}

/** The files of one slice; only the last can be open. */
export interface Parts<in A> {
  /** Resolves when what there was is open. */
  readonly ready: Promise<void>
  /** Begins a part, if none is open: one without rows, perhaps. */
  readonly begin: () => Promise<unknown>
  readonly write: (rows: ReadonlyArray<A>) => Promise<void>
  readonly commit: () => Promise<ReadonlyArray<PartMark>>
  /** Ends the part that is open. `unclosed`: more rows may come later. */
  readonly end: (unclosed?: 'unclosed') => Promise<void>
  readonly ended: () => ReadonlyArray<PartMark>
  /** The name of the part that is open. */
  readonly current: () => string | undefined
  readonly abandon: () => Promise<void>
}

/** Which slice, and how its files are opened. */
export interface PartsOptions<A> {
  readonly slice: number
  readonly rotation: Rotation
  /** Opens a new part, or one that has a mark. */
  readonly open: (
    part: Pick<PartMark, 'slice' | 'number'>,
    mark?: PartMark,
  ) => Promise<{ readonly name: string; readonly file: RowFile<A> }>
  /** The parts that the slice has already. */
  readonly from: ReadonlyArray<PartMark>
}

/** The part that is being written, and how many rows it has. */
interface OpenPart<A> {
  readonly file: RowFile<A>
  readonly name: string
  readonly number: number
  rows: number
}

// constructors

/** Opens the parts that are there first. */
export const partsOf = <A>({ slice, rotation, open, from }: PartsOptions<A>): Parts<A> => {
  const { run, last } = untilFailure(`slice ${slice}`)
  const ended: Array<PartMark> = []
  let current: OpenPart<A> | undefined
  const ready = run(async () => {
    for (const mark of from) {
      if (mark.ended) ended.push(mark)
      else current = { ...(await open(mark, mark)), number: mark.number, rows: mark.rows }
    }
  })

  const { rows: mostRows = Number.POSITIVE_INFINITY, bytes: mostBytes = Number.POSITIVE_INFINITY } =
    rotation

  const end = async (how?: 'unclosed'): Promise<void> => {
    if (current === undefined) return
    const { file, name, number } = current
    const open = how === undefined ? undefined : await file.commit()
    const { rows, bytes, sha256 } = await file.finish()
    const unclosed = open && { bytes: open.bytes, sha256: open.sha256 }
    ended.push({
      slice,
      number,
      name,
      rows,
      bytes,
      sha256,
      ended: true,
      ...(unclosed && { unclosed }),
    })
    current = undefined
  }

  const begun = async (): Promise<OpenPart<A>> => {
    const number = ended.length + 1
    current ??= { ...(await open({ slice, number })), number, rows: 0 }
    return current
  }

  return {
    ready,
    begin: () => run(begun),
    write: (rows) =>
      run(async () => {
        for (let at = 0; at < rows.length; ) {
          const part = await begun()
          const room = Math.max(0, mostRows - part.rows) // it may have been begun with more in mind
          const some = sliceRows(rows, at, at + room)
          await part.file.write(some)
          part.rows += some.length
          at += some.length
          if (part.rows >= mostRows || part.file.size() >= mostBytes) await end()
        }
      }),
    commit: () =>
      run(async () => {
        if (current === undefined) return [...ended]
        const { file, name, number } = current
        return [...ended, { slice, number, name, ...(await file.commit()), ended: false }]
      }),
    end: (how) => run(() => end(how)),
    ended: () => ended,
    current: () => current?.name,
    abandon: () => last(async () => current?.file.abandon()),
  }
}
