import {
  asyncScheduler,
  catchError,
  concat,
  concatMap,
  defer,
  from,
  type Observable,
  of,
  throwError,
} from 'rxjs'
import { defined } from '../../fp.js'
import type { AnyFailure } from '../../http/Failure.js'
import { checkOptions } from '../../options/index.js'
import type { Page } from '../../stream/index.js'
import { exportUnchecked } from '../exportList.js'
import { isLast, NO_PROGRESS, type Progress } from '../Progress.js'
import { bracket } from './bracket.js'
import type { Checkpoint } from './Checkpoint.js'
import { find } from './find.js'
import { graceful } from './graceful.js'
import { takeLocks } from './locks.js'
import { makePlace } from './makePlace.js'
import { seenFrom } from './Paths.js'
import { purposeOf } from './Purpose.js'
import { type Run, runOf } from './Run.js'
import { type Begun, type RunOptions, type RunProgress, runRules } from './RunOptions.js'
import { wholeDisk } from './SmallFiles.js'
import { tallyOf } from './Tally.js'
import { thisProcess } from './thisProcess.js'

/**
 * Writes a list into files that survive: at most a second after it was read, all that was read is
 * durable, and a checkpoint says up to where. A run that ended, however it did, is resumed from there. Beside the
 * files a manifest says in the end what is in them, and what is missing.
 *
 * Cold: each subscription is a run. Throws an `InvalidOption` at once for an option that cannot work. A
 * `CannotRun` is the error of the stream when something is in the way, before anything is asked for or
 * changed; what the system refuses, as it says it, comes after how all stood when it was committed last.
 * Unsubscribing leaves files and checkpoint as they were last committed, and gives the lock back when what is
 * being written is; who subscribes to the same export again waits for that. `stop` commits first.
 */
export const runExport = <A, Q, P extends Page<AnyFailure, A, Q>>(
  given: RunOptions<A, Q, P>,
): Observable<RunProgress<Q>> => {
  const options = checkOptions(given, runRules)
  const { source, target, files = wholeDisk, timer = asyncScheduler } = options
  const { begin = 'new', adds = false, maxRejects = Number.POSITIVE_INFINITY } = options
  const { paths } = target

  const acquire = async (): Promise<Held<A, Q, P>> => {
    await makePlace(files, paths)
    const { runner = thisProcess() } = options
    const lock = runner === 'none' ? undefined : await takeLocks(files, runner)(paths)
    const tally = tallyOf(options.client)
    let run: Run<A, Q, P> | undefined
    const release = async (): Promise<void> => {
      tally.close()
      try {
        await run?.abandon()
      } finally {
        await lock?.release()
      }
    }
    try {
      const output = seenFrom(paths.checkpoint, paths.out)
      const purpose = purposeOf(options.purpose, target.format, output)
      const { position } = source
      const found = await find({ files, paths, purpose, position, begin, adds, maxRejects })
      const { checkpoint } = found
      run = graceful(runOf(options, { files, timer, tally, found, purpose }))
      if (checkpoint !== undefined) await run.goOn()
      const dead = lock?.dead
      const begun = { resumed: checkpoint !== undefined, ...defined({ dead }) }
      return { run, checkpoint, begun, release }
    } catch (error) {
      await Promise.allSettled([release()]) // what it says would hide why
      throw error
    }
  }

  const read = (held: Held<A, Q, P>, position: Q | undefined): Observable<RunProgress<Q>> => {
    const { run, checkpoint } = held
    const left = maxRejects - (checkpoint?.counts.rejects ?? 0)
    const list = source.pages(position)
    const { misfit } = target.format
    return exportUnchecked<A, Q, P>({ ...options, ...run, list, misfit, maxRejects: left }).pipe(
      concatMap((progress): Observable<RunProgress<Q>> => {
        if (!isLast(progress)) return of(run.total(progress))
        const anew = position === undefined ? undefined : lostAt(held, position, progress)
        if (anew === undefined) return ended(held, progress)
        return concat(of({ ...run.total(NO_PROGRESS), anew }), read(held, undefined))
      }),
    )
  }

  /** Why the place where it stood is of no use, where all that was read stays, and is known. */
  const lostAt = (
    held: Held<A, Q, P>,
    position: Q,
    { pages, failure }: Progress<Q>,
  ): AnyFailure | undefined =>
    pages === 0 &&
    failure !== undefined &&
    source.isLost?.(position, failure) === true &&
    knowsAll(held)
      ? failure
      : undefined

  /** Rows without a key, and rejected ones without an id, would be there twice. */
  const knowsAll = ({ run, checkpoint }: Held<A, Q, P>): boolean => {
    const { rows = 0, rejects = 0 } = checkpoint?.counts ?? {}
    const aside = options.key === undefined ? run.aside?.size : 0
    return run.seen?.size === rows && aside === rejects
  }

  const ended = ({ run }: Held<A, Q, P>, progress: Progress<Q>): Observable<RunProgress<Q>> =>
    defer(() => run.end(progress))

  const readAll = (held: Held<A, Q, P>): Observable<RunProgress<Q>> => {
    const { checkpoint } = held
    return checkpoint !== undefined && checkpoint.position === undefined
      ? ended(held, { ...NO_PROGRESS, ended: true }) // only its end was not written
      : read(held, checkpoint?.position)
  }

  return bracket(acquire, ({ release }: Held<A, Q, P>) => release())((held) => {
    const { run, begun } = held
    const pages = readAll(held).pipe(
      catchError((error: unknown) =>
        from(run.fail(error)).pipe(
          concatMap((committed) =>
            concat(
              of(committed),
              throwError(() => error),
            ),
          ),
        ),
      ),
    )
    return concat(of({ ...run.total(NO_PROGRESS), begun }), pages)
  })
}

/** A run that has its locks, until it gives them back. */
interface Held<A, Q, P extends Page<AnyFailure, A, Q>> {
  readonly run: Run<A, Q, P>
  readonly checkpoint: Checkpoint<Q> | undefined
  readonly begun: Begun
  readonly release: () => Promise<void>
}
