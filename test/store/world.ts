/** Processes that share one store, each with its own clock, frozen, thawed and killed between any two steps. */
import { VirtualTimeScheduler } from 'rxjs'

/** One process. */
export interface Process {
  readonly timer: VirtualTimeScheduler
  /** Wraps functions that reach outside: each call is a step, which waits to be let through, and so does its answer. */
  readonly gated: <F extends object>(functions: F) => F
  isFrozen: boolean
  /** Lets the oldest waiting step happen, or does nothing. */
  readonly step: () => void
}

type Step = () => void

const isHandle = (u: unknown): u is object =>
  typeof u === 'object' && u !== null && 'close' in u && 'sync' in u

/** A process whose clock runs `rate` times as fast as the real one. */
export const processOf = (): Process => {
  const waiting: Array<Step> = []
  const gate = (): Promise<void> => new Promise((resolve) => waiting.push(resolve))
  const gated = <F extends object>(functions: F): F =>
    new Proxy(functions, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name)
        if (typeof member !== 'function') return member
        return async (...given: ReadonlyArray<unknown>) => {
          await gate()
          const answer: unknown = await member.apply(target, given)
          await gate()
          return isHandle(answer) ? gated(answer) : answer
        }
      },
    })
  const process: Process = {
    timer: new VirtualTimeScheduler(),
    gated,
    isFrozen: false,
    step: () => {
      if (!process.isFrozen) waiting.shift()?.()
    },
  }
  return process
}

/** Lets the clock of a process pass to `now`; it stands still for one that is frozen. */
export const pass = ({ timer, isFrozen }: Process, now: number): void => {
  if (isFrozen) return
  timer.maxFrames = now
  timer.flush()
  timer.frame = now
}

/** Resolves when all promises that can settle have. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
