/** The files of one slice, one after the other. */
import { sliced } from '../asCame.js'
import type { PartMark } from './Destination.js'
import type { FileSummary, Mark, RowFile } from './RowFile.js'
import { untilFailure } from './untilFailure.js'

// model

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
          const some = sliced(rows, at, at + room)
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
    end: () => run(end),
    ended: () =>
      ended.map(({ piece, rows, bytes, sha256 }) => ({ path: pathOf(piece), rows, bytes, sha256 })),
    abandon: () => last(async () => current?.file.abandon()),
  }
}
