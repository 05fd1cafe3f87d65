/** Rules that several tables of options share. */
import { is, type OptionRule } from '../options/index.js'
import type { FileSystem } from '../store/FileSystem.js'
import type { OnWait } from '../store/Waits.js'

export const format: OptionRule = {
  ...is.withMethods('', 'encoder'),
  expected: 'a format, made by formatOf',
}

export const files = is.withMethods<FileSystem>('functions as those of node:fs/promises', 'open')

export const onWait = is.fn<OnWait>()

/** Where a file is resumed. */
export const mark = is.object('a mark, as commit answered it')

/** A destination of the caller's own. */
export const destination: OptionRule = {
  ...is.withMethods('', 'resume', 'write', 'reject', 'commit', 'finish', 'close'),
  expected: 'a destination',
}
