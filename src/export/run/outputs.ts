/** The files of a run, rows, rejects and keys, opened when there is something to write. */
import { defined } from '../../fp.js'
import { shallow } from '../column/beyondJson.js'
import { abandonAll } from '../file/abandonAll.js'
import type { Destination, DestinationMark } from '../file/Destination.js'
import { syncName } from '../file/Files.js'
import { canGoOn } from '../file/sameFile.js'
import { isAbsence } from '../file/systemError.js'
import type { Reject } from '../sortPage.js'
import type { Listed } from './entry.js'
import { lineFile } from './lineFile.js'
import type { Marks } from './Marks.js'
import type { SmallFiles } from './SmallFiles.js'
import type { Stale } from './Stale.js'

// model

/** The files of a run. */
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
  /** Answers with the files, which are complete. */
  readonly finish: () => Promise<Listed>
  /** May be called again, and after `finish`. */
  readonly abandon: () => Promise<void>
}

/** Which files, and where they are gone on with. */
export interface OutputsOptions<A> {
  readonly files: SmallFiles
  readonly open: (mark: DestinationMark | undefined) => Promise<Destination<A>>
  /** The file that rows go to, where it is one. */
  readonly file: string | undefined
  /** Where rejected rows go. */
  readonly rejects: string
  /** Where keys go. */
  readonly keys: string
  /** Cuts all back to there. */
  readonly from: Marks | undefined
  /** Files to take away before. */
  readonly stale: Stale
}

// constructors

/** Nothing is touched before something is asked of them. */
export const outputs = <A>({
  files,
  open,
  file,
  rejects,
  keys,
  from,
  stale,
}: OutputsOptions<A>): Outputs<A> => {
  const begin = async (): Promise<Destination<A>> => {
    if (file !== undefined && from === undefined) await mayOpen(files, file)
    if (from?.rejects !== undefined) await canGoOn(rejects, from.rejects, files)
    if (from?.keys !== undefined) await canGoOn(keys, from.keys, files) // before the rows are cut back
    await takeAway(files, stale)
    if (from?.rejects === undefined) await files.rm(rejects, { force: true })
    return open(from?.output)
  }
  let opened: Promise<Destination<A>> | undefined
  const rows = (): Promise<Destination<A>> => {
    opened ??= begin()
    return opened
  }
  const common = { files, after: rows }
  const rejectFile = lineFile({ ...common, path: rejects, from: from?.rejects, numbers: 'exact' })
  const keyFile = lineFile({ ...common, path: keys, from: from?.keys, numbers: 'fast' })

  return {
    ready: async () => {
      await rows()
      await rejectFile.ifAny()
      await keyFile.ifAny()
    },
    write: async (page, slice, names) => {
      await (await rows()).write(page, slice)
      if (names.length > 0) await (await keyFile.open()).write(names)
    },
    endSlice: async (slice) => (await rows()).endSlice(slice),
    reject: async (page) =>
      (await rejectFile.open()).write(
        page.map((reject) => ({ ...reject, row: shallow(reject.row) })),
      ),
    commit: async () => {
      const output = (await (await rows()).commit()) ?? { parts: [] }
      const marks = {
        rejects: await (await rejectFile.ifAny())?.commit(),
        keys: await (await keyFile.ifAny())?.commit(),
      }
      return { output, ...defined(marks) }
    },
    finish: async () => {
      const written = await (await rows()).finish()
      const rejected = await (await rejectFile.ifAny())?.finish()
      await (await keyFile.opened())?.abandon()
      return { files: written, ...defined({ rejected }) }
    },
    abandon: async () => {
      // who opened it was told if that failed
      const all = await Promise.all(
        [opened, rejectFile.opened(), keyFile.opened()].map((file) => file?.catch(() => undefined)),
      )
      await abandonAll(all.filter((file) => file !== undefined))
    },
  }
}

/** Fails where rows that are there would stay, without what is kept of them. */
const mayOpen = async (files: SmallFiles, path: string): Promise<void> => {
  try {
    const handle = await files.open(path, 'r+')
    await handle.close()
  } catch (error) {
    if (!isAbsence(error)) throw error
  }
}

/** Records only when no rows that they are of can come back. */
const takeAway = async (files: SmallFiles, { rows, records }: Stale): Promise<void> => {
  for (const path of rows) await files.rm(path, { force: true })
  const [first] = rows
  if (first !== undefined) await syncName(files, first)
  for (const path of records) await files.rm(path, { force: true })
}
