import { basename, dirname, resolve } from 'node:path'
import * as t from 'io-ts'
import type { Format } from '../format/Format.js'
import { CannotRun } from './CannotRun.js'

// model

export const Purpose = t.readonly(
  t.type({
    /** What is listed: `charges`. */
    resource: t.string,
    /** Whose data it is, as `accountOf` has it. */
    account: t.string,
    /** What it is narrowed by, in the API's words. */
    query: t.readonly(t.record(t.string, t.string)),
    /** How it is written: format, compression, columns ... */
    format: t.readonly(t.record(t.string, t.string)),
    /** Where to, seen from the folder of the checkpoint; `.` is that folder. */
    output: t.string,
  }),
)

/** What an export is of: what a checkpoint must be of, too, to be gone on with. */
export interface Purpose extends t.TypeOf<typeof Purpose> {}

/** The part of it that whoever begins an export says; the rest is told by where it goes. */
export interface Wanted extends Pick<Purpose, 'resource' | 'account' | 'query'> {
  /** What else is to be the same when it is resumed, beside name, compression and columns of the format. */
  readonly format?: Purpose['format']
}

// combinators

/** With what `verify` reads: how the format is called, how it is compressed, and its columns. */
export const purposeOf = (
  wanted: Wanted,
  { name, compress, columns }: Pick<Format<never>, 'name' | 'compress' | 'columns'>,
  output: string,
): Purpose => ({
  ...wanted,
  format: {
    ...wanted.format,
    name,
    compress,
    ...(columns.length === 0 ? {} : { columns: columns.join(',') }),
  },
  output,
})

/** Throws a `CannotRun` that names the first thing in which the checkpoint at `path` is of another export. */
export const samePurpose =
  (path: string, wanted: Purpose) =>
  (found: Purpose): void => {
    const differs = (field: string, was: string | undefined, is: string | undefined): void => {
      if (was === is) return
      const why = `is of another export: its ${field} is ${show(was)}, and now it is ${show(is)}`
      throw new CannotRun('foreign', path, why, field)
    }
    differs('resource', found.resource, wanted.resource)
    if (found.account !== wanted.account) {
      const why =
        'is of another export: its account (base URL, client id, login-as, on-behalf-of) is not the one of now'
      throw new CannotRun('foreign', path, why, 'account')
    }
    for (const part of ['query', 'format'] as const) {
      const [was, is] = [found[part], wanted[part]]
      for (const name of Object.keys({ ...was, ...is })) {
        differs(`${part}.${name}`, was[name], is[name])
      }
    }
    if (wanted.output !== '.' || found.output !== folderOf(path)) {
      differs('output', found.output, wanted.output)
    }
  }

/** What the folder that a file is in is called: some checkpoints have this for `.`. */
const folderOf = (path: string): string => basename(dirname(resolve(path)))

const show = (text: string | undefined): string =>
  text === undefined ? 'not given' : JSON.stringify(text)
