/** What the files of a folder are called. They sort by slice, and by piece within a slice. */
import type { PartMark } from './Destination.js'

/** What the files of a folder are called by. */
export interface Naming {
  /** What names begin with; `part` unless given. */
  readonly prefix?: string
  /** Of the format. */
  readonly extension: string
}

/** With zeros before it, so that names sort as numbers do. */
const digits = (n: number, width: number): string => String(n).padStart(width, '0')

/** `part-00003-001.csv.gz` */
export const partName =
  ({ prefix = 'part', extension }: Naming) =>
  ({ slice, piece }: Pick<PartMark, 'slice' | 'piece'>): string =>
    `${prefix}-${digits(slice, 5)}-${digits(piece, 3)}.${extension}`

/** Whether a file is called as one of these is. */
export const isPartName =
  ({ prefix = 'part', extension }: Naming) =>
  (name: string): boolean =>
    name.startsWith(`${prefix}-`) &&
    name.endsWith(`.${extension}`) &&
    /^\d{5,}-\d{3,}$/.test(name.slice(prefix.length + 1, -extension.length - 1))
