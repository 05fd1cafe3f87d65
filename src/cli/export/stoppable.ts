import { defer, finalize, type Observable, ReplaySubject, take } from 'rxjs'
import type { Signal } from '../Terminal.js'

/**
 * A run that is told of the first signal, which is heard from its beginning to its end, also where nothing is read:
 * one that nobody hears ends the process, and leaves its lock. The next one does.
 */
export const stoppable = <A>(
  signals: Observable<Signal>,
  run: (stop: Observable<Signal>) => Observable<A>,
): Observable<A> => {
  const stop = new ReplaySubject<Signal>(1)
  const stopped = run(stop) // which may refuse its options
  return defer(() => {
    const hearing = signals.pipe(take(1)).subscribe(stop)
    return stopped.pipe(finalize(() => hearing.unsubscribe()))
  })
}
