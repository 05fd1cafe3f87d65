import type { AnyFailure } from '../../http/Failure.js'
import type { Page } from '../../stream/index.js'
import type { Run } from './Run.js'

/** The same run: what it is doing when it is abandoned is done first, and only then are its files closed. */
export const graceful = <A, Q, P extends Page<AnyFailure, A, Q>>(
  run: Run<A, Q, P>,
): Run<A, Q, P> => {
  let last: Promise<unknown> = Promise.resolve()
  const begun = <T>(task: Promise<T>): Promise<T> => {
    last = task
    return task
  }
  return {
    ...run,
    sink: (rows, page) => begun(run.sink(rows, page)),
    rejects: (rows) => begun(run.rejects(rows)),
    commit: (progress) => begun(run.commit(progress)),
    end: (progress) => begun(run.end(progress)),
    fail: (error) => begun(run.fail(error)),
    abandon: async () => {
      await last.catch(() => {}) // told to whoever began it
      await run.abandon()
    },
  }
}
