/**
 * Time of a whole realm, taken from a virtual timer: public limiters read `Date.now` and call `setTimeout` themselves. As in
 * a browser, `Date.now` is in whole milliseconds, and a timeout is never early.
 */
import type { Subscription } from 'rxjs'
import type { VirtualTimer } from '../../bench/simulated/virtualTimer.ts'

/** Lets promises settle: a task of the event loop, made by something that has no virtual time. */
const settled = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })

type Patched = 'setTimeout' | 'clearTimeout' | 'setInterval' | 'clearInterval'

/** Begins something and runs all that comes of it, while the globals of this realm show the time of `timer`. */
export const runInVirtualTime = async <A>(timer: VirtualTimer, begin: () => A): Promise<A> => {
  const pending = new Map<number, Subscription>()
  let last = 0
  const later = (work: () => void, delay = 0, every?: number): number => {
    const id = ++last
    const at = Math.ceil(timer.now() + Math.max(1, delay))
    const run = (): void => {
      pending.delete(id)
      if (every !== undefined) pending.set(id, timer.schedule(run, Math.max(1, every)))
      work()
    }
    pending.set(id, timer.schedule(run, at - timer.now()))
    return id
  }
  const forget = (id: number): void => {
    pending.get(id)?.unsubscribe()
    pending.delete(id)
  }
  const virtual: Readonly<Record<Patched, unknown>> = {
    setTimeout: later,
    clearTimeout: forget,
    setInterval: (work: () => void, every: number) => later(work, every, every),
    clearInterval: forget,
  }
  const names: ReadonlyArray<Patched> = [
    'setTimeout',
    'clearTimeout',
    'setInterval',
    'clearInterval',
  ]
  const real = names.map((name) => [name, globalThis[name]] as const)
  const now = Date.now
  for (const name of names) Reflect.set(globalThis, name, virtual[name])
  Date.now = () => Math.floor(timer.now())
  try {
    const begun = begin()
    await settled()
    for (let at = timer.next(); at !== undefined; at = timer.next()) {
      timer.flush(at)
      await settled()
    }
    return begun
  } finally {
    for (const [name, value] of real) Reflect.set(globalThis, name, value)
    Date.now = now
  }
}
