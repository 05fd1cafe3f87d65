/** The files of a folder: their names, and the consecutive files of each time slice. */

import { fieldsOf } from '../../decode/unknown.js'
import { sliceRows } from '../../stream/rawRows.js'
import type { FilePosition } from '../storage/Files.js'
import { isMark } from '../storage/integrity.js'
import type { RowFile } from './RowFile.js'
import { untilFailure } from './untilFailure.js'

// marks

/** Position in one file of a destination. */
export interface PartMark extends FilePosition {
  /** Number of the time slice that its rows belong to; 0 if slices share files. */
  readonly slice: number
  /** Number of the file within its slice, from 1. A slice has several files if files are rotated. */
  readonly number: number
  /** The file's name until it is published. */
  readonly name: string
  readonly ended: boolean
}

export const isPartMark = (u: unknown): u is PartMark => {
  const { slice, number, name, ended } = fieldsOf(u)
  return (
    isMark(u) &&
    Number.isSafeInteger(slice) &&
    Number.isSafeInteger(number) &&
    typeof name === 'string' &&
    /^(?:_incoming\/)?[^/\\\0]+\.[0-9a-f]{12}\.part$/.test(name) &&
    typeof ended === 'boolean'
  )
}

// names: they sort by slice, and by number within a slice

export interface Naming {
  /** Start of the names. Default `part`. */
  readonly prefix?: string
  /** End of the names, after a dot: the `extension` of the format. */
  readonly extension: string
}

/** One letter for each extra digit, because letters sort after digits. */
const LETTERS = ['', ...'abcdefghijklm']

/** Pads a number with zeros, or prefixes a letter if the number is longer than `width`, so that names sort like numbers. */
export const sortable = (n: number, width: number): string => {
  const digits = String(n).padStart(width, '0')
  return `${LETTERS[digits.length - width]}${digits}`
}

/** `part-00003-001.csv.gz`. The number after 999 gives `part-00003-a1000.csv.gz`. */
export const partName =
  ({ prefix = 'part', extension }: Naming) =>
  ({ slice, number }: Pick<PartMark, 'slice' | 'number'>): string =>
    `${prefix}-${sortable(slice, 5)}-${sortable(number, 3)}.${extension}`

// one slice

/** When to finish a part and start the next one. */
export interface Rotation {
  /** Maximum rows per part. Default: no limit. */
  readonly rows?: number
  /** Size in bytes at which a new part is started, checked after each page. Default: no limit. */
  readonly bytes?: number
}

/** The files of one slice; only the last can be open. */
export interface Parts<in A> {
  /** Resolves once the existing parts are open. */
  readonly ready: Promise<void>
  /** Starts a part if none is open, even without rows. */
  readonly begin: () => Promise<unknown>
  readonly write: (rows: ReadonlyArray<A>) => Promise<void>
  readonly commit: () => Promise<ReadonlyArray<PartMark>>
  readonly end: () => Promise<void>
  readonly ended: () => ReadonlyArray<PartMark>
  /** The name of the open part. */
  readonly current: () => string | undefined
  readonly abandon: () => Promise<void>
}

export interface PartsOptions<A> {
  readonly slice: number
  readonly rotation: Rotation
  /** Opens a new part, or the part with a mark. */
  readonly open: (
    part: Pick<PartMark, 'slice' | 'number'>,
    mark?: PartMark,
  ) => Promise<{ readonly name: string; readonly file: RowFile<A> }>
  /** Existing parts of the slice. */
  readonly from: ReadonlyArray<PartMark>
}

interface OpenPart<A> {
  readonly file: RowFile<A>
  readonly name: string
  readonly number: number
  rows: number
}

/** Returns the parts of a slice. Opens existing parts first. */
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

  const end = async (): Promise<void> => {
    if (current === undefined) return
    const { file, name, number } = current
    const { rows, bytes, sha256 } = await file.finish()
    ended.push({ slice, number, name, rows, bytes, sha256, ended: true })
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
          const room = Math.max(0, mostRows - part.rows) // a resumed part may already have too many rows
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
    end: () => run(end),
    ended: () => ended,
    current: () => current?.name,
    abandon: () => last(async () => current?.file.abandon()),
  }
}
