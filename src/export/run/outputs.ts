/** The two files of a run, rows and rejects, opened when there is something to write. */
import type { Destination, DestinationMark } from '../file/Destination.js'
import { openFile } from '../file/openFile.js'
import type { FileSummary, Mark, RowFile } from '../file/RowFile.js'
import { jsonLines } from '../format/jsonLines.js'
import type { Reject } from '../sortPage.js'
import type { SmallFiles } from './SmallFiles.js'

// model

/** Up to where both are durable. */
export interface Marks {
  readonly output: DestinationMark
  readonly rejects?: Mark
}

/** Both, complete. */
export interface Finished {
  readonly files: ReadonlyArray<FileSummary>
  readonly rejected?: FileSummary
}

export interface Outputs<A> {
  /** Opens what there is, cut back, without waiting for something to write. */
  readonly ready: () => Promise<unknown>
  readonly write: (rows: ReadonlyArray<A>, slice: number) => Promise<void>
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
  /** Cuts both back to there. */
  readonly from: Marks | undefined
  /** Files to take away before. */
  readonly stale: ReadonlyArray<string>
}

// constructors

export const outputs = <A>({
  files,
  open,
  rejects,
  from,
  stale,
}: OutputsOptions<A>): Outputs<A> => {
  let rows: Promise<Destination<A>> | undefined
  let bad: Promise<RowFile<unknown>> | undefined

  const begin = async (): Promise<Destination<A>> => {
    for (const path of stale) await files.rm(path, { force: true })
    if (from?.rejects === undefined) await files.rm(rejects, { force: true })
    return open(from?.output)
  }
  const destination = (): Promise<Destination<A>> => {
    rows ??= begin()
    return rows
  }
  const rejected = async (): Promise<RowFile<unknown>> => {
    await destination() // takes away what was there
    const mark = from?.rejects
    bad ??= openFile({
      path: rejects,
      format: jsonLines(),
      files,
      ...(mark === undefined ? {} : { from: mark }),
    })
    return bad
  }
  /** The file of rejected rows, if there is one. */
  const anyRejected = (): Promise<RowFile<unknown>> | undefined =>
    bad === undefined && from?.rejects === undefined ? undefined : rejected()

  return {
    ready: async () => {
      await destination()
      await anyRejected()
    },
    write: async (page, slice) => (await destination()).write(page, slice),
    endSlice: async (slice) => (await destination()).endSlice(slice),
    reject: async (page) => (await rejected()).write(page),
    commit: async () => {
      const output = (await (await destination()).commit()) ?? { parts: [] }
      const mark = await (await anyRejected())?.commit()
      return { output, ...(mark === undefined ? {} : { rejects: mark }) }
    },
    finish: async () => {
      const all = await (await destination()).finish()
      const summary = await (await anyRejected())?.finish()
      return { files: all, ...(summary === undefined ? {} : { rejected: summary }) }
    },
    abandon: async () => {
      // who opened it was told if that failed
      const opened = await Promise.all([rows, bad].map((file) => file?.catch(() => undefined)))
      for (const file of opened) await file?.abandon()
    },
  }
}
