/** The files of a run, rows, rejects and keys, opened when there is something to write. */
import { defined } from '../../fp.js'
import { shallow } from '../column/depth.js'
import type { Destination, DestinationMark } from '../file/Destination.js'
import { openFile } from '../file/openFile.js'
import type { FileSummary, Mark, RowFile } from '../file/RowFile.js'
import { jsonLines } from '../format/jsonLines.js'
import type { Reject } from '../sortPage.js'
import type { SmallFiles } from './SmallFiles.js'

// model

/** Up to where all are durable. */
export interface Marks {
  readonly output: DestinationMark
  readonly rejects?: Mark
  readonly keys?: Mark
}

/** Rows and rejects, complete. */
export interface Finished {
  readonly files: ReadonlyArray<FileSummary>
  readonly rejected?: FileSummary
}

export interface Outputs<A> {
  /** Opens what there is, cut back, without waiting for something to write. */
  readonly ready: () => Promise<unknown>
  /** Rows, and what tells them apart where that is to be kept. */
  readonly write: (
    rows: ReadonlyArray<A>,
    slice: number,
    keys: ReadonlyArray<string>,
  ) => Promise<void>
  readonly endSlice: (slice: number) => Promise<void>
  readonly reject: (rows: ReadonlyArray<Reject>) => Promise<unknown>
  readonly commit: () => Promise<Marks>
  readonly finish: () => Promise<Finished>
  /** May be called again, and after `finish`. */
  readonly abandon: () => Promise<void>
}

export interface OutputsOptions<A> {
  readonly files: SmallFiles
  readonly open: (mark: DestinationMark | undefined) => Promise<Destination<A>>
  /** Where rejected rows go. */
  readonly rejects: string
  /** Where keys go. */
  readonly keys: string
  /** Cuts all back to there. */
  readonly from: Marks | undefined
  /** Files to take away before. */
  readonly stale: ReadonlyArray<string>
}

// constructors

export const outputs = <A>({
  files,
  open,
  rejects,
  keys,
  from,
  stale,
}: OutputsOptions<A>): Outputs<A> => {
  let rows: Promise<Destination<A>> | undefined

  const begin = async (): Promise<Destination<A>> => {
    for (const path of stale) await files.rm(path, { force: true })
    if (from?.rejects === undefined) await files.rm(rejects, { force: true })
    return open(from?.output)
  }
  const destination = (): Promise<Destination<A>> => {
    rows ??= begin()
    return rows
  }
  /** A file of lines. */
  const beside = (path: string, mark: Mark | undefined): Beside => {
    let opened: Promise<RowFile<unknown>> | undefined
    const open = async (): Promise<RowFile<unknown>> => {
      await destination() // takes away what was there
      opened ??= openFile({
        path,
        format: jsonLines(),
        files,
        ...defined({ from: mark }),
      })
      return opened
    }
    return {
      open,
      ifAny: async () => (opened === undefined && mark === undefined ? undefined : open()),
      opened: () => opened,
    }
  }
  const bad = beside(rejects, from?.rejects)
  const known = beside(keys, from?.keys)

  return {
    ready: async () => {
      await destination()
      await bad.ifAny()
      await known.ifAny()
    },
    write: async (page, slice, names) => {
      await (await destination()).write(page, slice)
      if (names.length > 0) await (await known.open()).write(names)
    },
    endSlice: async (slice) => (await destination()).endSlice(slice),
    reject: async (page) =>
      (await bad.open()).write(page.map((bad) => ({ ...bad, row: shallow(bad.row) }))),
    commit: async () => {
      const output = (await (await destination()).commit()) ?? { parts: [] }
      const [rejected, kept] = [
        await (await bad.ifAny())?.commit(),
        await (await known.ifAny())?.commit(),
      ]
      return {
        output,
        ...defined({ rejects: rejected, keys: kept }),
      }
    },
    finish: async () => {
      const all = await (await destination()).finish()
      const summary = await (await bad.ifAny())?.finish()
      await (await known.opened())?.abandon()
      return { files: all, ...defined({ rejected: summary }) }
    },
    abandon: async () => {
      // who opened it was told if that failed
      const opened = await Promise.all(
        [rows, bad.opened(), known.opened()].map((file) => file?.catch(() => undefined)),
      )
      for (const file of opened) await file?.abandon()
    },
  }
}

/** A file that is opened when it is needed. */
interface Beside {
  readonly open: () => Promise<RowFile<unknown>>
  /** It, if something is or was written to it. */
  readonly ifAny: () => Promise<RowFile<unknown> | undefined>
  readonly opened: () => Promise<RowFile<unknown>> | undefined
}
