/** What the files of a folder are called. They sort by slice, and by piece within a slice. */
import type { PartMark } from './Destination.js'

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
