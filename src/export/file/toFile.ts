import { defined } from '../../fp.js'
import { checkOptions } from '../../options/index.js'
import type { Destination, DestinationMark } from './Destination.js'
import { type FileOptions, fileRules, openFile } from './openFile.js'

/** Which file, how rows are written to it, and where it is gone on with. */
export interface ToFileOptions<A> extends Omit<FileOptions<A>, 'from'> {
  /** Cuts the file back to where it was committed, and goes on there; else it is begun anew. */
  readonly from?: DestinationMark
}

/** One file for all slices, in the order they are written. Fails as `openFile` does. */
export const toFile = async <A>(given: ToFileOptions<A>): Promise<Destination<A>> => {
  const { from, ...options } = checkOptions(given, fileRules)
  const part = from?.parts[0]
  const file = await openFile({ ...options, ...defined({ from: part }) })
  return {
    write: async (rows) => {
      await file.write(rows)
    },
    commit: async () => ({
      parts: [{ slice: 0, piece: 1, ...(await file.commit()), ended: false }],
    }),
    endSlice: () => Promise.resolve(),
    finish: async () => [await file.finish()],
    abandon: file.abandon,
  }
}
