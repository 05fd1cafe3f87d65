/** The files of a folder: their names, and those of one slice of time, one after the other. */
import { sliceRows } from '../../stream/rawRows.js'
import type { PartMark } from './Destination.js'
import type { Mark } from './integrity.js'
import type { FileSummary, RowFile } from './RowFile.js'
import { untilFailure } from './untilFailure.js'

// names: they sort by slice, and by piece within a slice

/** What the files of a folder are called by. */
export interface Naming {
  /** What names begin with. Default `part`. */
  readonly prefix?: string
  /** What names end with, after a dot: the `extension` of the format. */
  readonly extension: string
}

/** A letter for each digit more than usual: letters sort after digits. */
const LETTERS = ['', ...'abcdefghijklm']

/** With zeros before it, or a letter where it is longer than `width`, so that names sort as numbers do. */
export const sortable = (n: number, width: number): string => {
  const digits = String(n).padStart(width, '0')
  return `${LETTERS[digits.length - width]}${digits}`
}

/** `part-00003-001.csv.gz`; after piece 999 comes `part-00003-a1000.csv.gz`. */
export const partName =
  ({ prefix = 'part', extension }: Naming) =>
  ({ slice, piece }: Pick<PartMark, 'slice' | 'piece'>): string =>
    `${prefix}-${sortable(slice, 5)}-${sortable(piece, 3)}.${extension}`

/** Whether a file is called as one of these is. */
export const isPartName =
  ({ prefix = 'part', extension }: Naming) =>
  (name: string): boolean =>
    name.startsWith(`${prefix}-`) &&
    name.endsWith(`.${extension}`) &&
    /^[a-m]?\d{5,}-[a-m]?\d{3,}$/.test(name.slice(prefix.length + 1, -extension.length - 1))

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
  /** What there was is open. */
  readonly ready: Promise<void>
  readonly write: (rows: ReadonlyArray<A>) => Promise<void>
  readonly commit: () => Promise<ReadonlyArray<PartMark>>
  /** Begins a part before there are rows. */
  readonly begin: () => Promise<unknown>
  /** Ends the part that is open. */
  readonly end: () => Promise<void>
  readonly ended: () => ReadonlyArray<FileSummary>
  readonly abandon: () => Promise<void>
}

/** Which slice, and how its files are opened. */
export interface PartsOptions<A> {
  readonly slice: number
  readonly rotation: Rotation
  readonly open: (piece: number, from?: Mark) => Promise<RowFile<A>>
  readonly pathOf: (piece: number) => string
  /** What there is of the slice already. */
  readonly from: ReadonlyArray<PartMark>
}

/** The part that is being written, and how many rows it has. */
interface Open<A> {
  readonly file: RowFile<A>
  readonly piece: number
  rows: number
}

// constructors

/** What there is already is opened first. */
export const partsOf = <A>({ slice, rotation, open, pathOf, from }: PartsOptions<A>): Parts<A> => {
  const { run, last } = untilFailure(`slice ${slice}`)
  const ended: Array<PartMark> = []
  let current: Open<A> | undefined
  const ready = run(async () => {
    for (const mark of from) {
      if (mark.ended) ended.push(mark)
      else current = { file: await open(mark.piece, mark), piece: mark.piece, rows: mark.rows }
    }
  })

  const { rows: mostRows = Number.POSITIVE_INFINITY, bytes: mostBytes = Number.POSITIVE_INFINITY } =
    rotation

  const end = async (): Promise<void> => {
    if (current === undefined) return
    const { file, piece } = current
    const { rows, bytes, sha256 } = await file.finish()
    ended.push({ slice, piece, rows, bytes, sha256, ended: true })
    current = undefined
  }

  const begun = async (): Promise<Open<A>> => {
    const piece = ended.length + 1
    current ??= { file: await open(piece), piece, rows: 0 }
    return current
  }

  return {
    ready,
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
        const { file, piece } = current
        return [...ended, { slice, piece, ...(await file.commit()), ended: false }]
      }),
    begin: () => run(begun),
    end: () => run(end),
    ended: () =>
      ended.map(({ piece, rows, bytes, sha256 }) => ({ path: pathOf(piece), rows, bytes, sha256 })),
    abandon: () => last(async () => current?.file.abandon()),
  }
}
